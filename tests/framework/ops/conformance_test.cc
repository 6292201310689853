// Every op of the CPU's kernel table, held against its declaration. To add an op, add a line to the table of its family
// (cases_*.cc); EveryKernelHasACase fails until it has one.

#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <string>

#include <gtest/gtest.h>
#include <rhyton/framework/autodiff/backpropagation.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/kernel_table.h>
#include <rhyton/framework/ops/listeners.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/tests/framework/ops/batch_rule_check.h>
#include <rhyton/tests/framework/ops/conformance_case.h>

namespace rhyton::conformance {
namespace {

/// Writes down all calls.
class Recorder final : public Observer {
 public:
  void applied(const OpPtr& op, std::span<const Tensor> inputs, std::span<const Tensor> outputs) override {
    calls.push_back({op, {inputs.begin(), inputs.end()}, {outputs.begin(), outputs.end()}});
  }
  void read(const Variable&, const Tensor&) override {}
  void assigned(const Variable&) override {}

  std::vector<RecordedCall> calls;
};

std::vector<double> values_of(const Input& input, std::mt19937& generator) {
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

/// A tensor with those values, floating ones as float32 could hold them.
Tensor tensor_of(const std::vector<double>& values, const Shape& shape, DType dtype) {
  std::vector<float> rounded(values.begin(), values.end());
  return cast(Tensor::from_data(shape, rounded), dtype);
}

struct Inputs {
  std::vector<Tensor> single;
  std::vector<Tensor> twofold;
};

Inputs inputs_of(const Case& test) {
  std::mt19937 generator(7);
  Inputs result;
  for (const Input& input : test.inputs) {
    const std::vector<double> values = values_of(input, generator);
    const bool floating = input.dtype == DType::float32;
    result.single.push_back(tensor_of(values, input.shape, input.dtype));
    result.twofold.push_back(tensor_of(values, input.shape, floating ? DType::float64 : input.dtype));
  }
  return result;
}

void expect_close(const Tensor& actual, const Tensor& expected, double tolerance) {
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

/// What the outputs are multiplied with before they are added up: the same numbers at each call.
std::vector<Tensor> weights_for(const std::vector<Tensor>& outputs, unsigned seed) {
  std::mt19937 generator(seed);
  std::vector<Tensor> weights;
  for (const Tensor& output : outputs) {
    if (output.is_empty() || !is_floating(output.dtype())) {
      weights.emplace_back();
      continue;
    }
    const Input shape{.shape = output.shape(), .lowest = -1.0, .highest = 1.0};
    weights.push_back(tensor_of(values_of(shape, generator), output.shape(), output.dtype()));
  }
  return weights;
}

/// Calls, and derivatives by recording them; the recorder hears everything.
class Differentiator {
 public:
  explicit Differentiator(const Case& test) : test_(test) {}

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
    const std::vector<Tensor> weights = weights_for(results, seed);
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
  ListenerScope scope_{recorder};
};

double weighted_sum(const std::vector<Tensor>& results, unsigned seed) {
  const std::vector<Tensor> weights = weights_for(results, seed);
  double total = 0.0;
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (!weights[i].is_empty()) total += sum(results[i] * weights[i]).item();
  }
  return total;
}

/// The derivatives of f by each element of each floating input, by central differences.
template <class Function>
std::vector<Tensor> differences(const std::vector<Tensor>& inputs, const Function& f) {
  constexpr double step = 1e-5;
  std::vector<Tensor> result(inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (!is_floating(inputs[i].dtype())) continue;
    std::vector<Tensor> moved = inputs;
    result[i] = Tensor::zeros(inputs[i].shape(), DType::float64);
    for (std::int64_t k = 0; k < inputs[i].size(); ++k) {
      const auto at = [&](double offset) {
        moved[i] = inputs[i].clone();
        moved[i].mutable_data<double>()[k] += offset;
        return f(moved);
      };
      result[i].mutable_data<double>()[k] = (at(step) - at(-step)) / (2.0 * step);
    }
  }
  return result;
}

void expect_all_close(const std::vector<Tensor>& actual, const std::vector<Tensor>& expected, double tolerance) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) {
    SCOPED_TRACE("number " + std::to_string(i));
    ASSERT_EQ(actual[i].is_empty(), expected[i].is_empty());
    if (!actual[i].is_empty()) expect_close(actual[i], expected[i], tolerance);
  }
}

/// Floating inputs as small whole numbers of another dtype, and the same in float64.
Inputs whole_numbers(const std::vector<Tensor>& inputs, DType dtype) {
  Inputs result;
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

void check_further_dtypes(const Case& test, const std::vector<Tensor>& inputs) {
  for (const DType dtype : test.also) {
    SCOPED_TRACE(std::string(name_of(dtype)));
    const Inputs whole = whole_numbers(inputs, dtype);
    const std::vector<Tensor> actual = test.call(whole.single);
    const std::vector<Tensor> expected = test.call(whole.twofold);
    ASSERT_EQ(actual.size(), expected.size());
    for (std::size_t i = 0; i < actual.size(); ++i) {
      // What float64 gives is rounded to the dtype as the result was.
      expect_close(actual[i], cast(expected[i], actual[i].dtype()), 0.0);
    }
  }
}

class Conformance : public ::testing::TestWithParam<Case> {};

TEST_P(Conformance, Holds) {
  const Case& test = GetParam();
  const Inputs inputs = inputs_of(test);

  Differentiator twofold(test);
  const std::vector<Tensor> expected = twofold.outputs(inputs.twofold);
  {
    SCOPED_TRACE("float32 against float64");
    const std::vector<Tensor> actual = test.call(inputs.single);
    ASSERT_EQ(actual.size(), expected.size());
    for (std::size_t i = 0; i < actual.size(); ++i) {
      if (!test.compares_precisions) continue;
      EXPECT_EQ(actual[i].dtype() == DType::float32, expected[i].dtype() == DType::float64);
      expect_close(actual[i], expected[i], test.tolerance);
    }
  }
  if (test.derivatives >= 1) {
    SCOPED_TRACE("gradient");
    const std::vector<Tensor> gradients = twofold.gradients(inputs.twofold);
    expect_all_close(gradients,
                     differences(inputs.twofold,
                                 [&](const std::vector<Tensor>& moved) {
                                   const PauseObservers pause;
                                   return weighted_sum(test.call(moved), 11);
                                 }),
                     1e-6);
    Differentiator single(test);
    expect_all_close(single.gradients(inputs.single), gradients, 5.0 * test.tolerance);
    for (const RecordedCall& call : single.recorder.calls) check_batch_rules(call);
  }
  if (test.derivatives >= 2) {
    SCOPED_TRACE("second derivative");
    expect_all_close(twofold.second_gradients(inputs.twofold),
                     differences(inputs.twofold,
                                 [&](const std::vector<Tensor>& moved) {
                                   const PauseObservers pause;
                                   Differentiator fresh(test);
                                   return weighted_sum(fresh.gradients(moved), 13);
                                 }),
                     1e-6);
  }
  for (const RecordedCall& call : twofold.recorder.calls) check_batch_rules(call);
  if (!HasFailure()) check_further_dtypes(test, inputs.single);
}

INSTANTIATE_TEST_SUITE_P(Ops, Conformance, ::testing::ValuesIn(all_cases()),
                         [](const auto& info) { return info.param.name; });

TEST(ConformanceTable, EveryKernelHasACase) {
  std::set<std::string> exercised;
  for (const Case& test : all_cases()) {
    const Inputs inputs = inputs_of(test);
    Differentiator differentiator(test);
    for (const std::vector<Tensor>& tensors : {inputs.single, inputs.twofold}) {
      if (test.derivatives >= 2) {
        differentiator.second_gradients(tensors);
      } else if (test.derivatives >= 1) {
        differentiator.gradients(tensors);
      } else {
        differentiator.outputs(tensors);
      }
    }
    for (const DType dtype : test.also) test.call(whole_numbers(inputs.single, dtype).single);
    for (const RecordedCall& call : differentiator.recorder.calls) {
      std::vector<TensorSpec> specs;
      for (const Tensor& input : call.inputs) specs.push_back(input.spec());
      exercised.insert(std::string(call.op->name()) + " " + std::string(name_of(call.op->kernel_dtype(specs))));
    }
  }
  for (const std::string& kernel : cpu_kernels().list()) {
    EXPECT_TRUE(exercised.contains(kernel)) << "no case of the conformance table calls the kernel " << kernel;
  }
}

}  // namespace

std::vector<Case> all_cases() {
  std::vector<Case> all;
  for (const auto& family : {elementwise_cases(), reduce_cases(), normalization_cases(), shaping_cases(),
                             gather_cases(), softmax_cases(), random_cases(), matmul_cases(), conv_cases(),
                             pooling_cases(), optimizer_update_cases(), linear_algebra_cases()}) {
    all.insert(all.end(), family.begin(), family.end());
  }
  return all;
}

}  // namespace rhyton::conformance
