#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <rhyton/models/callbacks/callback.h>
#include <rhyton/models/training/options.h>
#include <rhyton/models/training/tensors.h>

namespace rhyton::training {

// What is wrong with the arguments of `fit`, `evaluate` and `predict` is told in Keras's words, as a ValueError.

void require_positive(const char* name, const std::optional<std::int64_t>& value);
void require_callbacks(const std::vector<callbacks::Callback>& callbacks);
void check_fit_options(const models::FitOptions& options);
/// Names of metrics that nobody knows, which would otherwise be found in the first step.
void check_compile_options(const models::CompileOptions& options);
/// A model with a loss cannot be validated without targets, which would otherwise be found after the first epoch.
void require_validation_targets(const models::CompileOptions& options, std::size_t targets);
/// A data set has batches and weights of its own.
void require_nothing_beside_dataset(const std::optional<std::int64_t>& batch_size, const Tensors& sample_weight);

/// The value, bounded by what the environment variable says where it is set: Keras's caps, to make any program short.
std::optional<std::int64_t> capped(std::optional<std::int64_t> value, const char* variable);

}  // namespace rhyton::training
