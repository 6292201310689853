#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <rhyton/framework/serialization/option_table.h>

namespace rhyton {

/// A default name for an object of that class, unique since the last `clear_session`: "adam", then "adam_1".
std::string automatic_name(std::string_view class_name);

}  // namespace rhyton

namespace rhyton::optimizers {

/// Whether `deserialize` can create optimizers from that class name or string: built-in, registered, or in the custom
/// object scope. `registered_name` ("package>name") may be empty.
bool is_known_optimizer(const std::string& registered_name, const std::string& class_name);

/// The options of the built-in optimizers, for the documentation.
std::vector<OptionTable> option_tables();

}  // namespace rhyton::optimizers

namespace rhyton::optimizers::schedules {

/// The same for learning rate schedules.
bool is_known_schedule(const std::string& registered_name, const std::string& class_name);

/// The arguments of the built-in schedules, for the documentation.
std::vector<OptionTable> option_tables();

}  // namespace rhyton::optimizers::schedules
