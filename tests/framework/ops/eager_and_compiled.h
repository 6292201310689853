#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rhyton/framework/autodiff/gradient_tape.h>
#include <rhyton/framework/graph/executable.h>
#include <rhyton/framework/graph/tracing.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/tests/support/tensor_distance.h>

namespace rhyton::test {

/// Whether inputs carry a batch on their first axis.
enum class Batch { none, first_axis };

inline graph::Graph traced(const graph::Function& function, const std::vector<Tensor>& inputs,
                           Batch batch = Batch::none) {
  std::vector<graph::FunctionInput> specs;
  for (const Tensor& input : inputs) {
    specs.push_back({input.spec(), batch == Batch::first_axis && input.rank() > 0 ? 0 : -1});
  }
  return graph::trace(specs, function);
}

/// The results of the compiled function, whose memory is checked.
inline std::vector<Tensor> compiled(const graph::Function& function, const std::vector<Tensor>& inputs,
                                    Batch batch = Batch::none) {
  graph::Executable executable(traced(function, inputs, batch), {.plan = {.check = true}});
  executable(inputs);
  return executable(inputs);
}

/// A function that also returns the gradients of the sum of all its floating results with respect to its floating
/// arguments.
inline graph::Function with_gradients(const graph::Function& function) {
  return [function](const std::vector<Tensor>& inputs) {
    GradientTape tape({.persistent = true});
    std::vector<Tensor> sources;
    for (const Tensor& input : inputs) {
      if (!is_floating(input.dtype())) continue;
      tape.watch(input);
      sources.push_back(input);
    }
    std::vector<Tensor> results = function(inputs);
    Tensor total;
    for (const Tensor& result : results) {
      if (!is_floating(result.dtype())) continue;
      // Weights that differ, so that each element counts.
      const Tensor part = sum(result * sin(result + 0.5));
      total = total.is_empty() ? part : total + part;
    }
    for (const Tensor& source : sources) {
      const Tensor gradient = tape.gradient(total, source);
      results.push_back(gradient.is_empty() ? zeros_like(source) : gradient);
    }
    return results;
  };
}

/// Expects the results and gradients of the function to be the same eagerly and compiled, up to rounding.
inline void expect_compiled_equals_eager(const graph::Function& function, const std::vector<Tensor>& inputs,
                                         Batch batch = Batch::none, double tolerance = 1e-6) {
  const graph::Function both = with_gradients(function);
  const std::vector<Tensor> eager = both(inputs);
  const std::vector<Tensor> planned = compiled(both, inputs, batch);
  ASSERT_EQ(planned.size(), eager.size());
  for (std::size_t i = 0; i < eager.size(); ++i) {
    SCOPED_TRACE("result " + std::to_string(i));
    expect_close_to_largest(planned[i], eager[i], tolerance);
  }
}

/// Expects the gradients of the function in float64 to be those of finite differences, eagerly and compiled.
inline void expect_right_gradients(const graph::Function& function, std::vector<Tensor> inputs) {
  for (Tensor& input : inputs) {
    if (is_floating(input.dtype())) input = input.cast(DType::float64);
  }
  const auto total = [&](const std::vector<Tensor>& at) {
    double result = 0;
    for (const Tensor& tensor : function(at)) {
      if (is_floating(tensor.dtype())) result += sum(tensor * sin(tensor + 0.5)).item();
    }
    return result;
  };
  const std::vector<Tensor> results = with_gradients(function)(inputs);
  const std::vector<Tensor> planned = compiled(with_gradients(function), inputs);
  std::size_t gradient = results.size();
  for (const Tensor& input : inputs) gradient -= is_floating(input.dtype()) ? 1 : 0;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (!is_floating(inputs[i].dtype())) continue;
    for (std::int64_t k = 0; k < inputs[i].size(); ++k) {
      constexpr double h = 1e-5;
      std::vector<Tensor> above = inputs;
      std::vector<Tensor> below = inputs;
      above[i] = inputs[i].clone();
      below[i] = inputs[i].clone();
      above[i].mutable_data<double>()[k] += h;
      below[i].mutable_data<double>()[k] -= h;
      const double expected = (total(above) - total(below)) / (2 * h);
      const double tolerance = 1e-7 * std::max(1.0, std::abs(expected));
      EXPECT_NEAR(results[gradient].data<double>()[k], expected, tolerance) << "input " << i << ", element " << k;
      EXPECT_NEAR(planned[gradient].data<double>()[k], expected, tolerance)
          << "compiled, input " << i << ", element " << k;
    }
    ++gradient;
  }
}

}  // namespace rhyton::test
