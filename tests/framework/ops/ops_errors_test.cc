// The error messages for invalid arguments, in TensorFlow's words.

#include <functional>
#include <string>

#include <gtest/gtest.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/elementwise_op.h>
#include <rhyton/framework/ops/gather.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/framework/ops/softmax.h>

namespace rhyton {
namespace {

void expect_error(const std::function<void()>& call, const std::string& expected) {
  try {
    call();
    FAIL() << "expected an error: " << expected;
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(expected), std::string::npos) << error.what();
  }
}

/// An op that is called directly, without the functions that convert its operands to one dtype.
class OwnOp final : public BinaryOp {
 public:
  std::string_view name() const override { return "AddV2"; }
};

TEST(OpsErrors, DtypesOfBinaryOps) {
  const Tensor single = Tensor::zeros({2});
  const Tensor twofold = Tensor::zeros({2}, DType::float64);
  expect_error(
      [&] {
        call<OwnOp>({single, twofold});
      },
      "cannot compute AddV2 as input #1(zero-based) was expected to be a float tensor but is a double tensor");
  const Tensor whole = Tensor::zeros({2}, DType::int32);
  expect_error(
      [&] {
        call<OwnOp>({single, whole});
      },
      "cannot compute AddV2 as input #1(zero-based) was expected to be a float tensor but is a int32 tensor");
}

TEST(OpsErrors, Shapes) {
  const Tensor x = Tensor::zeros({2, 3});
  expect_error([&] { x + Tensor::zeros({4}); }, "Incompatible shapes: [2,3] vs. [4]");
  expect_error([&] { broadcast_to(x, {3}); }, "Incompatible shapes: [2,3] vs. [3]");
  expect_error([&] { sum_to_shape(x, {4}); }, "Incompatible shapes: [4] vs. [2,3]");
  expect_error([&] { reshape(x, {4}); }, "Input to reshape is a tensor with 6 values, but the requested shape has 4");
  expect_error([&] { reshape(x, {4, -1}); }, "the requested shape requires a multiple of 4");
  expect_error([&] { reshape(x, {-1, -1}); }, "Only one input size may be -1, not both 0 and 1");
  expect_error([&] { squeeze(x, {0}); }, "Can not squeeze dim[0], expected a dimension of 1, got 2");
  expect_error([&] { split(x, 2, 1); }, "Number of ways to split should evenly divide the split dimension");
  expect_error([&] { split(x, {2, 1}, 1); }, "The positions of a split must be in ascending order between 0 and the");
  expect_error([&] { split(x, {4}, 1); }, "indices_or_sections=[4]");
  expect_error([&] { slice(x, {0, 2}, {2, 2}); }, "Expected size[1] in [0, 1], but got 2");
  expect_error([&] { concatenate({x, Tensor::zeros({3, 4})}, 0); }, "Dimension of inputs should match");
  expect_error([&] { transpose(x, {0, 0}); }, "must name each axis of the tensor once");
  expect_error([&] { x[2]; }, "slice index 2 of dimension 0 out of bounds");
  EXPECT_THROW(sum(x, {2}), ValueError);
  EXPECT_THROW(concatenate({}), ValueError);
}

TEST(OpsErrors, Indices) {
  const Tensor params = Tensor::zeros({10, 2});
  expect_error(
      [&] {
        gather(params, Tensor::from_data<std::int32_t>({4}, {1, 2, 3, 12}));
      },
      "indices[3] = 12 is not in [0, 10)");
  expect_error(
      [&] {
        gather(params, Tensor::from_data<std::int64_t>({2, 2}, {1, 2, -1, 3}));
      },
      "indices[1,0] = -1 is not in [0, 10)");
  expect_error([&] { gather(params, params); }, "is not in the list of allowed values: int32, int64");
}

TEST(OpsErrors, Labels) {
  const Tensor logits = Tensor::zeros({3, 10});
  expect_error(
      [&] {
        sparse_softmax_cross_entropy_with_logits(Tensor::from_data<std::int64_t>({3}, {10, 1, 2}), logits);
      },
      "Received a label value of 10 which is outside the valid range of [0, 10).  Label values: 10 1 2");
  expect_error([&] { sparse_softmax_cross_entropy_with_logits(Tensor::zeros({2}, DType::int64), logits); },
               "logits and labels must have the same first dimension, got logits shape [3,10] and labels shape [2]");
}

TEST(OpsErrors, DtypesWithoutKernel) {
  EXPECT_THROW(negative(Tensor::zeros({2}, DType::uint8)), NotImplementedError);
  const Tensor truths = Tensor::zeros({2}, DType::bool_);
  EXPECT_THROW(truths + truths, NotImplementedError);
}

}  // namespace
}  // namespace rhyton
