#include <rhyton/framework/ops/ohwi_convolution.h>

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include <rhyton/framework/ops/conv.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/matmul.h>

namespace rhyton {
namespace {

const Shape images = {2, 6, 5, 4};
const Shape kernel = {3, 2, 4, 7};
const Shape ohwi = {7, 3, 2, 4};
const Shape results = {2, 4, 4, 7};

std::vector<TensorSpec> specs(const std::vector<Shape>& shapes) {
  std::vector<TensorSpec> result;
  for (const Shape& shape : shapes) result.push_back({shape, bfloat16});
  return result;
}

TEST(Ohwi, TheKernelOfAConvolutionIsTurned) {
  const OhwiConvolutionOp op(std::make_shared<const Conv2DOp>());
  EXPECT_EQ(op.name(), "OhwiConv2D");
  EXPECT_EQ(op.own_inputs(specs({images, kernel})), specs({images, ohwi}));
  EXPECT_EQ(op.keras_inputs(specs({images, ohwi})), specs({images, kernel}));
  EXPECT_EQ(op.infer(specs({images, ohwi})), specs({results}));
  EXPECT_EQ(op.flops(specs({images, ohwi}), specs({results})),
            Conv2DOp().flops(specs({images, kernel}), specs({results})));
}

TEST(Ohwi, TheKernelOfAnInputGradientIsTurned) {
  const OhwiConvolutionOp op(std::make_shared<const Conv2DInputGradientOp>(6, 5));
  EXPECT_EQ(op.infer(specs({ohwi, results})), specs({images}));
}

TEST(Ohwi, TheGradientOfAKernelIsTurned) {
  const OhwiConvolutionOp op(std::make_shared<const Conv2DKernelGradientOp>(3, 2));
  EXPECT_EQ(op.infer(specs({images, results})), specs({ohwi}));
}

TEST(Ohwi, OnlyConvolutionsHaveFilters) {
  EXPECT_TRUE(OhwiConvolutionOp::is_possible(Conv2DOp()));
  EXPECT_FALSE(OhwiConvolutionOp::is_possible(MatMulOp(false, false)));
  EXPECT_THROW(OhwiConvolutionOp(std::make_shared<const MatMulOp>(false, false)), InvalidArgumentError);
}

}  // namespace
}  // namespace rhyton
