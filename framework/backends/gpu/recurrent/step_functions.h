#pragma once

#include <cuda_runtime.h>

#include <rhyton/framework/backends/elementwise/activations.h>
#include <rhyton/framework/ops/recurrent.h>

namespace rhyton::gpu {

/// The functions of a recurrent cell and their derivatives. All threads take the same branch.
struct StepFunctions {
  RecurrentActivation activation;
  RecurrentActivation recurrent_activation;

  explicit StepFunctions(const RecurrentAttributes& cell)
      : activation(cell.activation), recurrent_activation(cell.recurrent_activation) {}

  template <class Number>
  __device__ Number a(Number x) const {
    return value(activation, x);
  }
  template <class Number>
  __device__ Number s(Number x) const {
    return value(recurrent_activation, x);
  }
  template <class Number>
  __device__ Number slope_of_a(Number y) const {
    return slope(activation, y);
  }
  template <class Number>
  __device__ Number slope_of_s(Number y) const {
    return slope(recurrent_activation, y);
  }

 private:
  template <class Number>
  __device__ static Number value(RecurrentActivation f, Number x) {
    switch (f) {
      case RecurrentActivation::tanh:
        return elementwise::Tanh()(x);
      case RecurrentActivation::sigmoid:
        return elementwise::Sigmoid()(x);
      case RecurrentActivation::relu:
        return elementwise::Relu()(x);
      case RecurrentActivation::hard_sigmoid:
        return elementwise::ClipByValue()(x * static_cast<Number>(1.0 / 6) + Number(0.5),
                                          elementwise::Constants<Number>{0, 1});
      case RecurrentActivation::linear:
        break;
    }
    return x;
  }

  /// The derivative of f where its value is y.
  template <class Number>
  __device__ static Number slope(RecurrentActivation f, Number y) {
    switch (f) {
      case RecurrentActivation::tanh:
        return Number(1) - y * y;
      case RecurrentActivation::sigmoid:
        return y * (Number(1) - y);
      case RecurrentActivation::relu:
        return y > Number(0) ? Number(1) : Number(0);
      case RecurrentActivation::hard_sigmoid:
        return y > Number(0) && y < Number(1) ? static_cast<Number>(1.0 / 6) : Number(0);
      case RecurrentActivation::linear:
        break;
    }
    return Number(1);
  }
};

}  // namespace rhyton::gpu
