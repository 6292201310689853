#pragma once

#include <string>
#include <string_view>

namespace rhyton {

/// A class name in the form of Keras's default names: "MeanSquaredError" becomes "mean_squared_error", "AdamW"
/// "adam_w", "RMSprop" "rm_sprop".
std::string snake_case(std::string_view class_name);

/// A default name for an object of that class, unique since the last `clear_session`: "adam", then "adam_1".
std::string automatic_name(std::string_view class_name);

}  // namespace rhyton

namespace rhyton::optimizers {

/// Whether `deserialize` can create optimizers from that class name or string: built-in, registered, or in the custom
/// object scope. `registered_name` ("package>name") may be empty.
bool is_known_optimizer(const std::string& registered_name, const std::string& class_name);

}  // namespace rhyton::optimizers

namespace rhyton::optimizers::schedules {

/// The same for learning rate schedules.
bool is_known_schedule(const std::string& registered_name, const std::string& class_name);

}  // namespace rhyton::optimizers::schedules
