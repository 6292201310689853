#pragma once

#include <cstdint>
#include <optional>
#include <string>

/// Settings of the process that concern training (`keras.config`). The others are in `framework/context.h`.
namespace rhyton::config {

/// The upper limit of the epochs of every `fit`, for a quick trial of a program: what was set, else the environment
/// variable KERAS_MAX_EPOCHS. No limit if empty.
std::optional<std::int64_t> max_epochs();
/// An empty limit removes also that of the environment. Throws ValueError for a negative one.
void set_max_epochs(std::optional<std::int64_t> max_epochs);

/// The same for the steps of an epoch of `fit`, and the environment variable KERAS_MAX_STEPS_PER_EPOCH.
std::optional<std::int64_t> max_steps_per_epoch();
void set_max_steps_per_epoch(std::optional<std::int64_t> max_steps_per_epoch);

/// Whether `fit`, `evaluate` and `predict` show progress, which is the default. If not, they are silent whatever their
/// `verbose` is; Keras then passes these lines to a logger that shows none by default.
void enable_interactive_logging();
void disable_interactive_logging();
bool is_interactive_logging_enabled();

/// The name of what computes: "rhyton".
std::string backend();

}  // namespace rhyton::config

namespace rhyton {

/// The version of this library, "0.1.0".
std::string version();

}  // namespace rhyton
