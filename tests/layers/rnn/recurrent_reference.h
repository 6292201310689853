#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include <rhyton/framework/ops/recurrent.h>
#include <rhyton/framework/tensor/tensor.h>

namespace rhyton::test {

/// What a recurrent layer computes, step by step.
struct RecurrentReference {
  RecurrentCell cell = RecurrentCell::simple_rnn;
  std::function<double(double)> activation = {};
  std::function<double(double)> recurrent_activation = {};
  bool reset_after = false;
  bool go_backwards = false;
  bool zero_output_for_mask = false;

  struct Result {
    /// [batch, steps, units], in the order of computation.
    std::vector<double> outputs;
    /// [batch, units].
    std::vector<double> last_output;
    std::vector<double> h;
    std::vector<double> c;
  };

  /// x: [batch, steps, features]; `weights` as the layer has them, the bias may be missing; `mask` and `states` may be
  /// empty.
  Result operator()(const Tensor& x, const std::vector<Tensor>& weights, const std::vector<bool>& mask = {},
                    const std::vector<Tensor>& states = {}) const;
};

}  // namespace rhyton::test
