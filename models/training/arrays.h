#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include <rhyton/framework/tensor/tensor.h>
#include <rhyton/models/training/batch_parts.h>
#include <rhyton/models/training/batch_source.h>
#include <rhyton/models/training/required_targets.h>

namespace rhyton::training {

/// The arguments of `fit`, `evaluate` and `predict` in the order of the model's inputs and outputs; the model is built
/// for them unless it is built. Throws ValueError in Keras's words if they do not fit the model. `targets` are those of
/// the model's losses and metrics.
BatchParts<Tensor> arrays_for(Trainee& trainee, const Tensors& x, const Tensors& y = {},
                              const Tensors& sample_weight = {}, const RequiredTargets& targets = {});

/// The tensors of x in the order of the model's inputs. Throws ValueError in Keras's words if they do not fit it.
std::vector<Tensor> inputs_for(Trainee& trainee, const Tensors& x);
/// The targets of y as batches have them, in the order of the model's outputs. Throws ValueError in Keras's words if they do
/// not fit it.
std::vector<Tensor> targets_for(const Trainee& trainee, const Tensors& y, const RequiredTargets& targets);

/// Makes `class_weight` a weight of every sample for all outputs; without weights of classes it does nothing. Throws ValueError in
/// Keras's words if samples have weights already or there are several targets.
void weigh_classes(BatchParts<Tensor>& arrays, const std::map<std::int64_t, double>& class_weight, std::size_t outputs);

/// The batches of the arrays; with a key, in another order in each pass.
BatchSource array_source(BatchParts<Tensor> arrays, std::int64_t batch_size,
                         std::optional<std::uint64_t> shuffle_key = std::nullopt);

/// Removes that part of the samples, the last ones, and returns it, for validation. Throws ValueError in Keras's words
/// if either part would be empty.
BatchParts<Tensor> split_off(BatchParts<Tensor>& arrays, double part);

}  // namespace rhyton::training
