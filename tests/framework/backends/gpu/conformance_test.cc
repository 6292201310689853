// Every case of the conformance tables on the GPU, compared with the CPU in float64; run twice and compared bit for
// bit.

#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/context.h>
#include <rhyton/framework/device/device_scope.h>
#include <rhyton/framework/ops/kernel_table.h>
#include <rhyton/tests/framework/backends/gpu/gpus.h>
#include <rhyton/tests/framework/ops/conformance_case.h>
#include <rhyton/tests/framework/ops/conformance_run.h>
#include <rhyton/tests/support/tensor_distance.h>

namespace rhyton::conformance {
namespace {

using gpu::cpu;
using gpu::first_gpu;

/// Ops without a kernel for GPUs: those of docs/gpu.md, and those that only passes of plans for the CPU create.
const std::set<std::string>& ops_of_the_cpu() {
  static const std::set<std::string> names = {"Qr",
                                              "Cholesky",
                                              "Lu",
                                              "SelfAdjointEig",
                                              "Eig",
                                              "Svd",
                                              "PseudoInverse",
                                              "MatrixSolve",
                                              "MatrixTriangularSolve",
                                              "MatrixInverse",
                                              "MatrixDeterminant",
                                              "LogMatrixDeterminant",
                                              "FFT",
                                              "RFFT",
                                              "IRFFT",
                                              "Case",
                                              "While",
                                              "WhileGradient",
                                              "RandomGamma",
                                              "RandomBinomial",
                                              "CTCLoss",
                                              "CTCDecode",
                                              "Attention",
                                              "AttentionGrad",
                                              "Conv2DMaxPoolInputGradient",
                                              "BeginAllReduce",
                                              "FinishAllReduce",
                                              "ScaledConv2D",
                                              "SummedMatMulKernelGradients",
                                              "SquaredDeviation"};
  return names;
}

std::vector<Tensor> on_cpu(const std::vector<Tensor>& tensors) {
  std::vector<Tensor> copies;
  for (const Tensor& tensor : tensors) copies.push_back(tensor.is_empty() ? tensor : tensor.to(cpu()));
  return copies;
}

/// The results of the CPU: outputs, and gradients if there are any.
struct Expected {
  std::vector<Tensor> outputs;
  std::vector<Tensor> gradients;
};

Expected expected_of(const Case& test, const std::vector<Tensor>& inputs) {
  const auto scope = device(cpu());
  Expected expected;
  {
    Differentiator differentiator(test);
    expected.outputs = differentiator.outputs(inputs);
  }
  if (test.derivatives > 0) {
    Differentiator differentiator(test);
    expected.gradients = differentiator.gradients(inputs);
  }
  return expected;
}

void expect_on_gpu(const std::vector<RecordedCall>& calls) {
  for (const RecordedCall& call : calls) {
    if (call.op->is_view() || ops_of_the_cpu().contains(std::string(call.op->name()))) continue;
    for (const Tensor& output : call.outputs) {
      EXPECT_EQ(output.device().name(), first_gpu().name()) << call.op->name() << " of " << name_of(output.dtype());
    }
  }
}

/// Runs a case on the GPU and compares.
void check(const Case& test, const std::vector<Tensor>& inputs, const Expected& expected, double tolerance,
           bool compares) {
  const auto scope = device(first_gpu());
  Differentiator first(test);
  const std::vector<Tensor> outputs = first.outputs(inputs);
  if (compares) expect_all_close(on_cpu(outputs), expected.outputs, tolerance);
  if (test.derivatives > 0) {
    Differentiator differentiator(test);
    const std::vector<Tensor> gradients = differentiator.gradients(inputs);
    if (compares) expect_all_close(on_cpu(gradients), expected.gradients, 5.0 * tolerance);
    expect_on_gpu(differentiator.recorder.calls);
    Differentiator again(test);
    const std::vector<Tensor> repeated = again.gradients(inputs);
    for (std::size_t i = 0; i < gradients.size(); ++i) {
      if (gradients[i].is_empty()) continue;
      EXPECT_TRUE(test::same_bits(gradients[i], repeated[i]));
    }
  }
  expect_on_gpu(first.recorder.calls);
  EXPECT_TRUE(test::same_bits(on_cpu(test.call(inputs)), on_cpu(outputs)));
}

class GpuConformance : public ::testing::TestWithParam<Case> {
 protected:
  void SetUp() override { config::enable_tensor_float_32_execution(false); }
  void TearDown() override { config::enable_tensor_float_32_execution(true); }
};

TEST_P(GpuConformance, Holds) {
  const Case& test = GetParam();
  const BothInputs inputs = inputs_of(test);
  const Expected expected = expected_of(test, inputs.twofold);
  {
    SCOPED_TRACE("float64");
    check(test, inputs.twofold, expected, 1e-10, true);
  }
  {
    SCOPED_TRACE("float32");
    if (test.compares_precisions) {
      check(test, inputs.single, expected, test.tolerance, true);
    } else {
      // Random numbers equal those of the CPU in the same precision.
      check(test, inputs.single, expected_of(test, inputs.single), 1e-6, true);
    }
  }
  for (const DType dtype : {float16, bfloat16}) {
    if (!test.takes_halves) break;
    SCOPED_TRACE(std::string(name_of(dtype)));
    const std::vector<Tensor> halves = in_dtype(inputs.single, dtype);
    const double precision = dtype == float16 ? 0x1p-10 : 0x1p-7;
    check(test, halves, expected_of(test, in_dtype(halves, float64)), test.half_tolerance * precision,
          test.compares_precisions);
  }
  for (const DType dtype : test.also) {
    if (is_floating(dtype)) continue;
    SCOPED_TRACE(std::string(name_of(dtype)));
    std::vector<Tensor> whole;
    for (const Tensor& input : inputs.single) {
      whole.push_back(is_floating(input.dtype()) ? cast(round(abs(input) * 2.0), dtype) : input);
    }
    const std::vector<Tensor> on_host = test.call(whole);
    const auto scope = device(first_gpu());
    const std::vector<Tensor> actual = test.call(whole);
    EXPECT_TRUE(test::same_bits(on_cpu(actual), on_host));
  }
}

INSTANTIATE_TEST_SUITE_P(Ops, GpuConformance, ::testing::ValuesIn(all_cases()),
                         [](const auto& info) { return info.param.name; });

TEST(GpuKernels, AreThereForEveryKernelOfTheCpu) {
  const std::vector<std::string> of_gpu = gpu_kernels().list();
  const std::set<std::string> there(of_gpu.begin(), of_gpu.end());
  for (const std::string& kernel : cpu_kernels().list()) {
    const std::string op = kernel.substr(0, kernel.find(' '));
    if (ops_of_the_cpu().contains(op)) continue;
    // Narrow integers are moved and cast, else computed with on the CPU.
    const DType dtype = dtype_from_name(kernel.substr(op.size() + 1));
    if (is_integer(dtype) && computing_dtype(dtype) != dtype) continue;
    EXPECT_TRUE(there.contains(kernel)) << kernel;
  }
}

}  // namespace
}  // namespace rhyton::conformance
