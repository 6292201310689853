#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include <rhyton/framework/tensor/tensor.h>
#include <rhyton/models/training/batch_source.h>

namespace rhyton::training {

/// The arrays of a call of `fit`, `evaluate` or `predict`: as many weights as outputs, or none.
struct Arrays {
  std::vector<Tensor> x;
  std::vector<Tensor> y;
  std::vector<Tensor> weights;

  /// Those of x, the samples unknown. Throws ValueError for an array without axes.
  std::vector<Shape> input_shapes() const;
};

/// What `fit`, `evaluate` and `predict` were given, in the order of the model's inputs and outputs; the model is built
/// for it where it was not. `class_weight` becomes a weight of every sample. Throws ValueError in Keras's words where
/// it does not fit the model.
Arrays arrays_for(Trainee& trainee, const Tensors& x, const Tensors& y = {}, const Tensors& sample_weight = {},
                  const std::map<std::int64_t, double>& class_weight = {});

/// The arrays in batches; with a key, in another order in each pass.
BatchSource array_source(const Arrays& arrays, std::int64_t batch_size,
                         std::optional<std::uint64_t> shuffle_key = std::nullopt);

/// Takes that part of the samples, the last ones, away, for validation. Throws ValueError in Keras's words where
/// nothing would be left of either.
Arrays split_off(Arrays& arrays, double part);

}  // namespace rhyton::training
