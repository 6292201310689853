#pragma once

#include <rhyton/framework/tensor/shape.h>
#include <rhyton/layers/layer.h>

// The arguments of `add_weight` for weights that many layers have: `kernel_weight` for the weight "kernel", whose
// initializer, regularizer and constraint are the options `kernel_initializer`, `kernel_regularizer` and
// `kernel_constraint` of the layer, and so on.

namespace rhyton::layers {

template <class Options>
WeightOptions kernel_weight(const Options& options, const Shape& shape) {
  return {.shape = shape,
          .initializer = options.kernel_initializer,
          .regularizer = options.kernel_regularizer,
          .constraint = options.kernel_constraint,
          .name = "kernel"};
}

template <class Options>
WeightOptions bias_weight(const Options& options, const Shape& shape) {
  return {.shape = shape,
          .initializer = options.bias_initializer,
          .regularizer = options.bias_regularizer,
          .constraint = options.bias_constraint,
          .name = "bias"};
}

template <class Options>
WeightOptions gamma_weight(const Options& options, const Shape& shape) {
  return {.shape = shape,
          .initializer = options.gamma_initializer,
          .regularizer = options.gamma_regularizer,
          .constraint = options.gamma_constraint,
          .name = "gamma"};
}

template <class Options>
WeightOptions beta_weight(const Options& options, const Shape& shape) {
  return {.shape = shape,
          .initializer = options.beta_initializer,
          .regularizer = options.beta_regularizer,
          .constraint = options.beta_constraint,
          .name = "beta"};
}

}  // namespace rhyton::layers
