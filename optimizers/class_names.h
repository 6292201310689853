#pragma once

#include <string>
#include <string_view>

namespace rhyton {

/// A default name for an object of that class that no other has got since the last `clear_session`: "adam", then
/// "adam_1".
std::string automatic_name(std::string_view class_name);

}  // namespace rhyton

namespace rhyton::optimizers {

/// Whether `deserialize` can make optimizers of that class, or of that string: of Rhyton, registered, or of the scope
/// of custom objects. `registered_name` ("package>name") may be empty.
bool is_known_optimizer(const std::string& registered_name, const std::string& class_name);

}  // namespace rhyton::optimizers

namespace rhyton::optimizers::schedules {

/// The same for learning rate schedules.
bool is_known_schedule(const std::string& registered_name, const std::string& class_name);

}  // namespace rhyton::optimizers::schedules
