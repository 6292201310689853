// Every op of the CPU's kernel table, checked against its declaration. To add an op, add a line to the table of its
// family (cases_*.cc); EveryKernelHasACase fails until it has one.

#include <algorithm>
#include <set>
#include <string>

#include <gtest/gtest.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/kernel_table.h>
#include <rhyton/framework/ops/listeners.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/tests/framework/ops/batch_rule_check.h>
#include <rhyton/tests/framework/ops/conformance_case.h>
#include <rhyton/tests/framework/ops/conformance_run.h>

namespace rhyton::conformance {
namespace {

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

/// Those of the case, and the narrow integers whose kernels are those of one of them.
std::vector<DType> further_dtypes(const Case& test) {
  std::vector<DType> dtypes = test.also;
  for (const DType narrow : {DType::int8, DType::int16, DType::uint16, DType::uint32}) {
    const bool has_wide = std::find(test.also.begin(), test.also.end(), computing_dtype(narrow)) != test.also.end();
    // Plans leave kernels that need scratch memory, which conversions do, out of chains. Replicas do not sum narrow
    // integers.
    const bool is_defined = test.name != "chain" && !test.name.starts_with("all_reduce") &&
                            (test.name != "negative" || !is_unsigned(narrow));
    if (has_wide && is_defined) dtypes.push_back(narrow);
  }
  return dtypes;
}

void check_further_dtypes(const Case& test, const std::vector<Tensor>& inputs) {
  for (const DType dtype : further_dtypes(test)) {
    SCOPED_TRACE(std::string(name_of(dtype)));
    const BothInputs whole = whole_numbers(inputs, dtype);
    const std::vector<Tensor> actual = test.call(whole.single);
    const std::vector<Tensor> expected = test.call(whole.twofold);
    ASSERT_EQ(actual.size(), expected.size());
    for (std::size_t i = 0; i < actual.size(); ++i) {
      // The float64 result is rounded to the dtype in the same way.
      expect_close(actual[i], cast(expected[i], actual[i].dtype()), 0.0);
    }
  }
}

class Conformance : public ::testing::TestWithParam<Case> {};

TEST_P(Conformance, Holds) {
  const Case& test = GetParam();
  const BothInputs inputs = inputs_of(test);

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
    const std::vector<Tensor> of_single = single.gradients(inputs.single);
    if (test.compares_gradients) expect_all_close(of_single, gradients, 5.0 * test.tolerance);
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
    const BothInputs inputs = inputs_of(test);
    Differentiator differentiator(test);
    std::vector<std::vector<Tensor>> precisions = {inputs.single, inputs.twofold};
    if (test.takes_halves) {
      for (const DType dtype : {DType::float16, DType::bfloat16}) precisions.push_back(in_dtype(inputs.single, dtype));
    }
    for (const std::vector<Tensor>& tensors : precisions) {
      if (test.derivatives >= 2) {
        differentiator.second_gradients(tensors);
      } else if (test.derivatives >= 1) {
        differentiator.gradients(tensors);
      } else {
        differentiator.outputs(tensors);
      }
    }
    for (const DType dtype : further_dtypes(test)) test.call(whole_numbers(inputs.single, dtype).single);
    for (const RecordedCall& call : differentiator.recorder.calls) {
      std::vector<TensorSpec> specs;
      for (const Tensor& input : call.inputs) specs.push_back(input.spec());
      exercised.insert(std::string(call.op->name()) + " " + std::string(name_of(call.op->kernel_dtype(specs))));
    }
  }
  for (const std::string& kernel : cpu_kernels().list()) {
    if (kernel.starts_with("Bitcast ")) continue;  // bytes differ between dtypes: keras_ops_test.cc, counting_test.cc
    // Narrow integers have the kernels of wider ones, between conversions that `check_further_dtypes` covers.
    const std::size_t end = kernel.find(' ');
    const DType dtype = dtype_from_name(kernel.substr(end + 1));
    const DType computed = is_integer(dtype) ? computing_dtype(dtype) : dtype;
    const std::string wide = kernel.substr(0, end + 1) + std::string(name_of(computed));
    EXPECT_TRUE(exercised.contains(wide)) << "no case of the conformance table calls the kernel " << kernel;
  }
}

}  // namespace

}  // namespace rhyton::conformance
