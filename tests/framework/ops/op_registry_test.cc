#include <rhyton/framework/ops/op_registry.h>

#include <cstring>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/kernel_table.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/tests/framework/ops/batch_rule_check.h>
#include <rhyton/tests/framework/ops/conformance_case.h>
#include <rhyton/tests/framework/ops/conformance_run.h>
#include <rhyton/tests/support/message_of.h>

namespace rhyton::conformance {
namespace {

using testing::HasSubstr;

/// The ops that `make_op` does not know, with the reason.
bool has_no_description(std::string_view op) {
  static const std::set<std::string_view> names = {
      // Bodies of their own.
      "Case", "While", "WhileGradient",
      // Sums over replicas.
      "AllReduce", "BeginAllReduce", "FinishAllReduce",
      // Made by passes alone.
      "ElementwiseChain", "FusedConv2D", "FusedMatMul", "FusedConv2DMaxPool", "ScaledConv2D",
      "Conv2DMaxPoolInputGradient", "Conv2DMaxPoolKernelGradient", "FusedBatchNormalization",
      "FusedBatchNormalizationSums", "FusedBatchNormalizationInputGradient", "SummedMatMulKernelGradients",
      // A call that is never executed.
      "CustomGradient"};
  return names.contains(op);
}

void expect_same_bits(const Tensor& actual, const Tensor& expected) {
  ASSERT_EQ(actual.spec(), expected.spec());
  EXPECT_EQ(std::memcmp(actual.raw_data(), expected.raw_data(), expected.spec().bytes()), 0);
}

void check(const RecordedCall& call) {
  SCOPED_TRACE(std::string(call.op->name()) + " " + call.op->attributes());
  std::vector<TensorSpec> specs;
  for (const Tensor& input : call.inputs) specs.push_back(input.spec());
  const OpPtr made = make_op(call.op->name(), call.op->attributes(), specs);
  EXPECT_EQ(made->name(), call.op->name());
  EXPECT_EQ(made->attributes(), call.op->attributes());
  const std::vector<Tensor> results = rhyton::apply(made, call.inputs);
  const std::vector<Tensor> expected = rhyton::apply(call.op, call.inputs);
  ASSERT_EQ(results.size(), expected.size());
  for (std::size_t i = 0; i < results.size(); ++i) expect_same_bits(results[i], expected[i]);
}

// Every op of the conformance tables, and of their derivatives.
TEST(OpRegistry, MakesEveryOpFromItsNameAndAttributes) {
  for (const Case& test : all_cases()) {
    SCOPED_TRACE(test.name);
    const BothInputs inputs = inputs_of(test);
    Differentiator differentiator(test);
    if (test.derivatives >= 2) {
      differentiator.second_gradients(inputs.single);
    } else if (test.derivatives >= 1) {
      differentiator.gradients(inputs.single);
    } else {
      differentiator.outputs(inputs.single);
    }
    const PauseObservers pause;  // the recorder still observes
    for (const RecordedCall& call : differentiator.recorder.calls) {
      if (!has_no_description(call.op->name())) check(call);
    }
  }
}

// A new op has an entry, or a reason why it has none.
TEST(OpRegistry, KnowsEveryOpWithAKernel) {
  std::set<std::string> without;
  for (const std::string& kernel : cpu_kernels().list()) {
    const std::string op = kernel.substr(0, kernel.find(' '));
    if (!is_readable_op(op) && !has_no_description(op)) without.insert(op);
    EXPECT_FALSE(is_readable_op(op) && has_no_description(op)) << op;
  }
  EXPECT_THAT(without, testing::IsEmpty()) << "neither in framework/ops/op_tables.h nor in the list above";
}

TEST(OpRegistry, HasAKernelForEveryName) {
  std::set<std::string> ops = {"Reshape", "Identity", "StopGradient"};  // views
  for (const std::string& kernel : cpu_kernels().list()) ops.insert(kernel.substr(0, kernel.find(' ')));
  for (const std::string_view name : readable_ops()) EXPECT_TRUE(ops.contains(std::string(name))) << name;
}

const TensorSpec matrix{{2, 3}, float32};

std::string refusal(std::string_view name, std::string_view attributes, const std::vector<TensorSpec>& inputs) {
  return test::message_of<ValueError>([&] { make_op(name, attributes, inputs); });
}

TEST(OpRegistry, RefusesWhatIsNoOp) {
  EXPECT_EQ(test::message_of<NotImplementedError>([] { make_op("Nothing", "", {}); }),
            "Op Nothing cannot be made from its name.");
  EXPECT_EQ(refusal("Relu", "", {}), "Op Relu takes 1 inputs, got 0.");
  EXPECT_EQ(refusal("Relu", "", {matrix, matrix}), "Op Relu takes 1 inputs, got 2.");
}

TEST(OpRegistry, RefusesAttributesOfAnotherForm) {
  const auto transposed = [&](std::string_view attributes) { return refusal("Transpose", attributes, {matrix}); };
  EXPECT_EQ(transposed(""), "The attributes \"\" of op Transpose cannot be used: 'axes' is missing.");
  for (const std::string_view attributes :
       {"axes=[0,1", "axes=[0]", "axes=[0,0]", "axes=[0,2]", "axes=[-1,0]", "axes=[0,1],", "axes=[0,1,]",
        "axes=[0,1], axes=[0,1]", "axes=[0,1], more=1", "axes", "=", ", ", "axes=[ 0,1]", "axes=[0x0,1]",
        "axes=[0,99999999999999999999]"}) {
    EXPECT_THAT(transposed(attributes), HasSubstr("of op Transpose cannot be used")) << attributes;
  }
  EXPECT_THAT(refusal("MatMul", "transpose_a=1, transpose_b=false", {matrix, matrix}), HasSubstr("true or false"));
  EXPECT_THAT(refusal("LeakyRelu", "negative_slope=1.5.2", {matrix}), HasSubstr("must be a number"));
  EXPECT_THROW(make_op("Cast", "dtype=float3", std::vector<TensorSpec>{matrix}), ValueError);
  EXPECT_THROW(make_op("Reshape", "shape=[4611686018427387904,4]", std::vector<TensorSpec>{matrix}), ValueError);
  EXPECT_THROW(make_op("Reshape", "shape=[1,1,1,1,1,1,1,1,1]", std::vector<TensorSpec>{matrix}), ValueError);
}

TEST(OpRegistry, ChecksWhatOpsRelyOn) {
  const TensorSpec scalar{{}, float32};
  const TensorSpec rows{{2}, int64};
  EXPECT_THROW(make_op("Sort", "axis=0, count=1, descending=true", std::vector<TensorSpec>{scalar}), ValueError);
  EXPECT_THROW(make_op("Sort", "axis=1, count=4, descending=true", std::vector<TensorSpec>{matrix}), ValueError);
  EXPECT_THROW(make_op("ScatterRowsMax", "", std::vector<TensorSpec>{matrix, rows, scalar}), ValueError);
  EXPECT_THROW(make_op("SelectV2", "", std::vector<TensorSpec>{matrix, matrix, matrix}), ValueError);
  EXPECT_THROW(make_op("Conv2D", "strides=0,1, padding=valid, dilation_rate=1,1, groups=1",
                       std::vector<TensorSpec>{matrix, matrix}),
               ValueError);
  EXPECT_THROW(make_op("Conv2D", "strides=1,1, padding=valid, dilation_rate=1,1, groups=0",
                       std::vector<TensorSpec>{matrix, matrix}),
               ValueError);
}

// The number in a text is the number itself.
TEST(OpRegistry, KeepsNumbersExactly) {
  for (const double value : {0.1, 1e-300, -0.0, 1.0 / 3.0, std::numeric_limits<double>::infinity()}) {
    Recorder recorder;
    {
      const ListenerScope scope(recorder);
      leaky_relu(Tensor::zeros({1}), value);
    }
    EXPECT_FALSE(recorder.calls.empty());
    for (const RecordedCall& call : recorder.calls) check(call);
  }
}

}  // namespace
}  // namespace rhyton::conformance
