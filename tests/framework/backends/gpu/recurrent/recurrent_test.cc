#include <rhyton/framework/ops/recurrent.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/context.h>
#include <rhyton/framework/device/device_scope.h>
#include <rhyton/tests/framework/backends/gpu/cpu_reference.h>
#include <rhyton/tests/framework/backends/gpu/gpus.h>

#ifdef RHYTON_CUDA_EMULATION
#include <emulator.h>
#endif

namespace rhyton::gpu::recurrent_tests {
namespace {

using test::same_bits;
using Tensors = std::vector<Tensor>;

// With few units one kernel computes all steps, except for the gru without reset_after; with many, each step is a
// product of the library and a kernel.
constexpr std::int64_t few_units = 5;
constexpr std::int64_t many_units = 260;

/// What a comparison varies.
struct Setting {
  RecurrentAttributes cell;
  std::int64_t batch = 3;
  std::int64_t steps = 3;
  std::int64_t units = few_units;
  bool has_bias = false;
  bool has_states = false;
  bool has_mask = false;

  std::int64_t columns() const { return units * recurrent_gates(cell.cell); }
  RecurrentOptions options() const {
    const bool is_lstm = cell.cell == RecurrentCell::lstm;
    return {.has_bias = has_bias && cell.reset_after,
            .has_initial_h = has_states,
            .has_initial_c = has_states && is_lstm,
            .has_mask = has_mask};
  }
};

/// An op with its inputs, on the host.
struct Call {
  std::shared_ptr<const RecurrentBaseOp> op;
  Tensors inputs;
};

/// The inputs of a call, of random numbers.
class Inputs {
 public:
  Inputs(const Setting& setting, DType dtype) : setting_(setting), dtype_(dtype) {}

  void add(const Shape& shape, double low, double high) {
    made.push_back(random_of(shape, dtype_, ++seed_, low, high));
  }
  void add_kernel() {
    const double size = 1.5 / std::sqrt(static_cast<double>(setting_.units));
    add({setting_.units, setting_.columns()}, -size, size);
  }
  /// A state [batch, units], if there is such an input.
  void add_state(int position) {
    if (position >= 0) add({setting_.batch, setting_.units}, -1, 1);
  }
  /// Gaps at both ends and between; the third sample has no step.
  void add_mask() {
    if (!setting_.has_mask) return;
    Tensor mask = Tensor::zeros({setting_.batch, setting_.steps}, bool_);
    for (std::int64_t i = 0; i < mask.size(); ++i) {
      mask.mutable_data<bool>()[i] = i * 7 % 5 < 3 && i / setting_.steps != 2;
    }
    made.push_back(mask);
  }

  Tensors made;

 private:
  const Setting& setting_;
  DType dtype_;
  std::uint64_t seed_ = 0;
};

Call forward_call(const Setting& setting, DType dtype) {
  const auto op = std::make_shared<const RecurrentOp>(setting.cell, setting.options());
  const RecurrentOperands position = op->operands();
  Inputs inputs(setting, dtype);
  inputs.add({setting.batch, setting.steps, setting.columns()}, -2, 2);
  inputs.add_kernel();
  if (position.recurrent_bias >= 0) inputs.add({setting.columns()}, -0.5, 0.5);
  inputs.add_state(position.initial_h);
  inputs.add_state(position.initial_c);
  inputs.add_mask();
  return {op, inputs.made};
}

Call backward_call(const Setting& setting, DType dtype) {
  const bool is_lstm = setting.cell.cell == RecurrentCell::lstm;
  const auto op = std::make_shared<const RecurrentGradOp>(setting.cell, setting.options(), true, true, is_lstm);
  const RecurrentGradOperands position = op->operands();
  const Shape states = {setting.batch, setting.steps, setting.units};
  Inputs inputs(setting, dtype);
  inputs.add({setting.batch, setting.steps, setting.columns()}, 0.1, 0.9);
  inputs.add(states, -1, 1);
  inputs.add_kernel();
  if (position.residual >= 0) inputs.add(states, -1, 1);
  inputs.add_state(position.initial_h);
  inputs.add_state(position.initial_c);
  inputs.add_mask();
  inputs.add(states, -1, 1);
  inputs.add_state(position.dfinal_h);
  inputs.add_state(position.dfinal_c);
  return {op, inputs.made};
}

Tensors run_on(LogicalDevice& target, const Call& call) {
  const auto scope = device(target);
  Tensors results;
  for (const Tensor& result : rhyton::apply(call.op, call.inputs)) results.push_back(result.to(cpu()));
  return results;
}

Call in_dtype(Call call, DType dtype) {
  for (Tensor& input : call.inputs) {
    if (is_floating(input.dtype())) input = input.cast(dtype).to(cpu());
  }
  return call;
}

/// All outputs, also those that only the gradient reads.
void expect_both_as_on_cpu(const Setting& setting, DType dtype) {
  for (const Call& call : {forward_call(setting, dtype), backward_call(setting, dtype)}) {
    SCOPED_TRACE(std::string(call.op->name()) + " " + std::string(name_of(dtype)) + " " +
                 call.inputs[0].shape().to_string() + " " + call.op->attributes());
    const Tensors actual = run_on(first_gpu(), call);
    const Tensors expected = run_on(cpu(), in_dtype(call, float64));
    ASSERT_EQ(actual.size(), expected.size());
    for (std::size_t i = 0; i < actual.size(); ++i) {
      SCOPED_TRACE("output " + std::to_string(i));
      EXPECT_EQ(actual[i].dtype(), dtype);
      expect_close(actual[i], expected[i], tolerance(dtype));
    }
    EXPECT_TRUE(same_bits(run_on(first_gpu(), call), actual));
  }
}

std::vector<RecurrentAttributes> cells() {
  return {{.cell = RecurrentCell::simple_rnn},
          {.cell = RecurrentCell::lstm},
          {.cell = RecurrentCell::gru},
          {.cell = RecurrentCell::gru, .reset_after = true}};
}

class GpuRecurrent : public ::testing::Test {
 protected:
  void SetUp() override { config::enable_tensor_float_32_execution(false); }
  void TearDown() override { config::enable_tensor_float_32_execution(true); }
};

// Units for a part of a block, a whole one, and several; samples for a part of a block, for several, and for blocks of
// several samples.
TEST_F(GpuRecurrent, AnyLengthsGiveTheResultsOfTheCpu) {
  const std::vector<std::pair<std::int64_t, std::int64_t>> lengths = {{1, 1},  {1, 130}, {131, 1}, {2, 128},
                                                                      {70, 3}, {271, 3}, {9, 33},  {3, 257}};
  for (const RecurrentAttributes& cell : cells()) {
    for (const auto& [batch, units] : lengths) {
      expect_both_as_on_cpu({.cell = cell, .batch = batch, .steps = 2, .units = units, .has_bias = true}, float32);
    }
  }
}

TEST_F(GpuRecurrent, StatesAndMasksAreThoseOfTheCpuInEachDtype) {
  for (RecurrentAttributes cell : cells()) {
    for (const bool reverse : {false, true}) {
      cell.reverse = reverse;
      for (const std::int64_t units : {few_units, many_units}) {
        for (const DType dtype : floating_dtypes) {
          Setting setting = {.cell = cell, .steps = 6, .units = units, .has_bias = true, .has_mask = true};
          expect_both_as_on_cpu(setting, dtype);
          setting.has_states = true;
          expect_both_as_on_cpu(setting, dtype);
        }
      }
    }
  }
}

TEST_F(GpuRecurrent, WithoutStepsTheStatesAndTheirGradientsPassThrough) {
  for (const RecurrentAttributes& cell : cells()) {
    for (const std::int64_t units : {few_units, many_units}) {
      for (const bool has_states : {false, true}) {
        expect_both_as_on_cpu({.cell = cell, .steps = 0, .units = units, .has_states = has_states}, float32);
      }
    }
  }
}

TEST_F(GpuRecurrent, NoSampleGivesNothing) {
  for (const RecurrentAttributes& cell : cells()) {
    expect_both_as_on_cpu({.cell = cell, .batch = 0, .has_states = true}, float32);
  }
}

TEST_F(GpuRecurrent, MaskedSamplesDoNotSeeAnInvalidKernel) {
  for (const RecurrentAttributes& cell : cells()) {
    for (const std::int64_t units : {few_units, many_units}) {
      const Setting setting = {.cell = cell, .units = units, .has_states = true, .has_mask = true};
      for (Call call : {forward_call(setting, float32), backward_call(setting, float32)}) {
        SCOPED_TRACE(std::string(call.op->name()) + " " + call.op->attributes());
        Tensor& kernel = call.inputs[call.op->name() == "Recurrent" ? 1 : 2];
        kernel = Tensor::full(kernel.shape(), nan, float32).to(cpu());
        const Tensors actual = run_on(first_gpu(), call);
        const Tensors expected = run_on(cpu(), call);
        for (std::size_t i = 0; i < actual.size(); ++i) expect_close(actual[i], expected[i], tolerance(float32));
      }
    }
  }
}

// 64 additions of 2^-12 to 1: each alone would be lost in bfloat16.
TEST_F(GpuRecurrent, TheStatesOfHalfTypesAreNotRoundedFromStepToStep) {
  const RecurrentAttributes cell = {.cell = RecurrentCell::simple_rnn, .activation = RecurrentActivation::linear};
  const Call call = {std::make_shared<const RecurrentOp>(cell, RecurrentOptions{.has_initial_h = true}),
                     {Tensor::full({1, 64, 1}, 0x1p-12, bfloat16).to(cpu()),
                      Tensor::full({1, 1}, 1.0, bfloat16).to(cpu()), Tensor::full({1, 1}, 1.0, bfloat16).to(cpu())}};
  EXPECT_EQ(run_on(first_gpu(), call)[1].to_vector(), std::vector<double>{1 + 0x1p-6});
}

TEST_F(GpuRecurrent, GatesMayOverwriteTheirInputs) {
  for (const RecurrentAttributes& cell : cells()) {
    for (const std::int64_t units : {few_units, many_units}) {
      const Setting setting = {.cell = cell, .units = units, .has_bias = true, .has_states = true, .has_mask = true};
      const Call forward = forward_call(setting, float32);
      const int gates = static_cast<const RecurrentOp&>(*forward.op).operands().gates;
      EXPECT_TRUE(same_bits(run_kernel(*forward.op, forward.inputs, test_stream(), {.input = 0, .output = gates}),
                            run_kernel(*forward.op, forward.inputs, test_stream())));
      const Call backward = backward_call(setting, float32);
      EXPECT_TRUE(same_bits(run_kernel(*backward.op, backward.inputs, test_stream(), {.input = 0, .output = 0}),
                            run_kernel(*backward.op, backward.inputs, test_stream())));
    }
  }
}

// The last block has fewer samples than the others; `run_kernel` frees each tensor's memory, which is checked then.
TEST_F(GpuRecurrent, NothingIsWrittenBeyondTheLastSample) {
  for (const RecurrentAttributes& cell : cells()) {
    const Setting setting = {.cell = cell, .batch = 271, .units = 3, .has_bias = true, .has_states = true};
    for (const Call& call : {forward_call(setting, float32), backward_call(setting, float32)}) {
      EXPECT_TRUE(same_bits(run_kernel(*call.op, call.inputs, test_stream()), run_on(first_gpu(), call)));
    }
  }
}

#ifdef RHYTON_CUDA_EMULATION

/// Besides the products.
std::int64_t kernels_of(const Call& call) {
  const std::int64_t before = cuda_emulation::counters().kernels_launched;
  run_kernel(*call.op, call.inputs, test_stream());
  return cuda_emulation::counters().kernels_launched - before;
}

TEST_F(GpuRecurrent, AStepIsOneKernelBesidesItsProductOrAllStepsAreOne) {
  for (const RecurrentAttributes& cell : cells()) {
    // The candidate of this form waits for the reset gate.
    const bool has_two_products = cell.cell == RecurrentCell::gru && !cell.reset_after;
    for (const std::int64_t units : {few_units, many_units}) {
      const Setting ten = {.cell = cell, .steps = 10, .units = units};
      const Setting thirty = {.cell = cell, .steps = 30, .units = units};
      const std::int64_t launched_steps = units == few_units && !has_two_products ? 0 : 20;
      const std::int64_t expected = has_two_products ? 2 * launched_steps : launched_steps;
      EXPECT_EQ(kernels_of(forward_call(thirty, float32)) - kernels_of(forward_call(ten, float32)), expected);
      EXPECT_EQ(kernels_of(backward_call(thirty, float32)) - kernels_of(backward_call(ten, float32)), expected);
    }
  }
}

#endif

}  // namespace
}  // namespace rhyton::gpu::recurrent_tests
