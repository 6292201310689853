#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rhyton/framework/autodiff/backpropagation.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/listeners.h>
#include <rhyton/tests/framework/ops/conformance_case.h>

// The execution of the cases of the conformance tables.

namespace rhyton::conformance {

/// Records all calls.
class Recorder final : public Observer {
 public:
  void applied(const OpPtr& op, std::span<const Tensor> inputs, std::span<const Tensor> outputs) override {
    calls.push_back({op, {inputs.begin(), inputs.end()}, {outputs.begin(), outputs.end()}});
  }
  void read(const Variable&, const Tensor&) override {}
  void assigned(const Variable&) override {}

  std::vector<RecordedCall> calls;
};

inline std::vector<double> values_of(const Input& input, std::mt19937& generator) {
  const auto size = static_cast<std::size_t>(input.shape.size());
  if (!input.values.empty()) return input.values;
  std::vector<double> values(size);
  const double width = input.highest - input.lowest;
  if (input.distinct) {
    for (std::size_t i = 0; i < size; ++i) {
      values[i] = input.lowest + width * (static_cast<double>(i) + 0.5) / static_cast<double>(size);
    }
    std::shuffle(values.begin(), values.end(), generator);
    return values;
  }
  std::uniform_real_distribution<double> distribution(input.lowest, input.highest);
  const auto near_kink = [&](double value) {
    return std::any_of(input.avoid.begin(), input.avoid.end(),
                       [&](double kink) { return std::abs(value - kink) < 0.02 * width; });
  };
  for (double& value : values) {
    do {
      value = distribution(generator);
    } while (near_kink(value));
  }
  return values;
}

/// A tensor with those values, floating ones rounded to float32.
inline Tensor tensor_of(const std::vector<double>& values, const Shape& shape, DType dtype) {
  std::vector<float> rounded(values.begin(), values.end());
  return cast(Tensor::from_data(shape, rounded), dtype);
}

/// The inputs of a case in both precisions.
struct BothInputs {
  std::vector<Tensor> single;
  std::vector<Tensor> twofold;
};

inline BothInputs inputs_of(const Case& test) {
  std::mt19937 generator(7);
  BothInputs result;
  for (const Input& input : test.inputs) {
    const std::vector<double> values = values_of(input, generator);
    const bool floating = input.dtype == DType::float32;
    result.single.push_back(tensor_of(values, input.shape, input.dtype));
    result.twofold.push_back(tensor_of(values, input.shape, floating ? DType::float64 : input.dtype));
  }
  return result;
}

/// The float32 inputs in another dtype, the others unchanged.
inline std::vector<Tensor> in_dtype(const std::vector<Tensor>& inputs, DType dtype) {
  std::vector<Tensor> result;
  for (const Tensor& input : inputs) result.push_back(is_floating(input.dtype()) ? cast(input, dtype) : input);
  return result;
}

/// Floating inputs as small integers of another dtype, and the same in float64.
inline BothInputs whole_numbers(const std::vector<Tensor>& inputs, DType dtype) {
  BothInputs result;
  for (const Tensor& input : inputs) {
    if (!is_floating(input.dtype())) {
      result.single.push_back(input);
      result.twofold.push_back(input);
      continue;
    }
    result.single.push_back(cast(round(abs(input) * 2.0), dtype));
    result.twofold.push_back(cast(result.single.back(), DType::float64));
  }
  return result;
}

inline void expect_close(const Tensor& actual, const Tensor& expected, double tolerance) {
  ASSERT_EQ(actual.shape(), expected.shape()) << actual.shape().to_string() << " vs. " << expected.shape().to_string();
  const std::vector<double> a = actual.to_vector();
  const std::vector<double> b = expected.to_vector();
  double largest = 1.0;
  for (const double value : b) {
    if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
  }
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i]))) continue;
    ASSERT_NEAR(a[i], b[i], tolerance * largest) << "element " << i << " of " << a.size();
  }
}

/// The factors of the outputs in the weighted sum: the same numbers at each call, rounded to `rounded_to` if given.
inline std::vector<Tensor> weights_for(const std::vector<Tensor>& outputs, unsigned seed,
                                       std::optional<DType> rounded_to = std::nullopt) {
  std::mt19937 generator(seed);
  std::vector<Tensor> weights;
  for (const Tensor& output : outputs) {
    if (output.is_empty() || !is_floating(output.dtype())) {
      weights.emplace_back();
      continue;
    }
    const Input shape{.shape = output.shape(), .lowest = -1.0, .highest = 1.0};
    const Tensor values = tensor_of(values_of(shape, generator), output.shape(), rounded_to.value_or(DType::float32));
    weights.push_back(cast(values, output.dtype()));
  }
  return weights;
}

/// Calls, and differentiates by recording the calls; the recorder observes all of them.
class Differentiator {
 public:
  explicit Differentiator(const Case& test, std::optional<DType> rounded_to = std::nullopt)
      : test_(test), rounded_to_(rounded_to) {}

  std::vector<Tensor> outputs(const std::vector<Tensor>& inputs) { return test_.call(inputs); }

  /// The gradients of the weighted sum of the outputs; empty for integer inputs, zeros where there is no dependence.
  std::vector<Tensor> gradients(const std::vector<Tensor>& inputs) { return backward(outputs(inputs), 11, inputs); }

  /// The gradients of the weighted sum of the gradients.
  std::vector<Tensor> second_gradients(const std::vector<Tensor>& inputs) {
    return backward(gradients(inputs), 13, inputs);
  }

  Recorder recorder;

 private:
  std::vector<Tensor> backward(const std::vector<Tensor>& results, unsigned seed, const std::vector<Tensor>& inputs) {
    const std::vector<Tensor> weights = weights_for(results, seed, rounded_to_);
    std::vector<Tensor> targets;
    std::vector<Tensor> target_gradients;
    for (std::size_t i = 0; i < results.size(); ++i) {
      if (weights[i].is_empty()) continue;
      targets.push_back(results[i]);
      target_gradients.push_back(weights[i]);
    }
    const std::vector<RecordedCall> calls = recorder.calls;
    std::vector<Tensor> gradients = backpropagate(calls, targets, target_gradients, inputs);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (gradients[i].is_empty() && is_floating(inputs[i].dtype())) gradients[i] = zeros_like(inputs[i]);
    }
    return gradients;
  }

  const Case& test_;
  std::optional<DType> rounded_to_;
  ListenerScope scope_{recorder};
};

inline void expect_all_close(const std::vector<Tensor>& actual, const std::vector<Tensor>& expected, double tolerance) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) {
    SCOPED_TRACE("number " + std::to_string(i));
    ASSERT_EQ(actual[i].is_empty(), expected[i].is_empty());
    if (!actual[i].is_empty()) expect_close(actual[i], expected[i], tolerance);
  }
}

}  // namespace rhyton::conformance
