#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <rhyton/models/callbacks/callback.h>
#include <rhyton/models/training/options.h>
#include <rhyton/models/training/tensors.h>

namespace rhyton::training {

// Checks of the arguments of `compile`, `fit`, `evaluate` and `predict`. They throw ValueError in Keras's words.

void require_positive(const char* name, const std::optional<std::int64_t>& value);
void require_callbacks(const std::vector<callbacks::Callback>& callbacks);
void check_fit_options(const models::FitOptions& options);
/// Throws for unknown names of metrics, before the first step would.
void check_compile_options(const models::CompileOptions& options);
/// Throws if a model with a loss has no targets for its validation, before the end of the first epoch.
void require_validation_targets(const models::CompileOptions& options, std::size_t targets);
/// Throws for arguments that a data set determines itself.
void require_nothing_beside_dataset(const std::optional<std::int64_t>& batch_size, const Tensors& sample_weight);

/// Throws if a dictionary with these keys lacks one of the model's inputs; warns, as Keras does, if it has others,
/// which are not used.
void require_inputs(const std::vector<std::string>& keys, const std::vector<std::string>& inputs);

/// The minimum of the value and of a limit, such as `config::max_epochs()`. As in Keras, a limit of 0 is none.
std::optional<std::int64_t> capped(std::optional<std::int64_t> value, std::optional<std::int64_t> limit);

}  // namespace rhyton::training
