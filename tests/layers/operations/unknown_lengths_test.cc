// Windows over axes of unknown length: the lengths of the outputs are unknown, whatever the strides, as in Keras.

#include <string>

#include <gtest/gtest.h>

#include <rhyton/framework/error.h>
#include <rhyton/layers/convolutional/conv2d.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/layers/operations/operation.h>
#include <rhyton/layers/operations/operations.h>
#include <rhyton/layers/pooling/average_pooling2d.h>
#include <rhyton/layers/pooling/max_pooling2d.h>
#include <rhyton/layers/rnn/time_distributed.h>
#include <rhyton/models/model.h>
#include <rhyton/models/sequential.h>

namespace rhyton::layers {
namespace {

const Shape unknown = {-1, -1, -1, 2};

SymbolicTensor images() { return Input({.shape = {-1, -1, 2}}); }

TEST(UnknownLengths, StayUnknownUnderWindowLayers) {
  for (const std::int64_t stride : {2, 900, 1100, 5000, 100000, 1 << 20}) {
    for (const std::string padding : {"valid", "same"}) {
      const std::string what = padding + " " + std::to_string(stride);
      EXPECT_EQ(Conv2D(2, 3, {.strides = stride, .padding = padding})(images()).shape(), unknown) << what;
      EXPECT_EQ(MaxPooling2D(2, {.strides = stride, .padding = padding})(images()).shape(), unknown) << what;
      EXPECT_EQ(AveragePooling2D(stride, {.padding = padding})(images()).shape(), unknown) << what;
    }
  }
}

TEST(UnknownLengths, StayUnknownUnderWindowOperations) {
  const Tensor kernel = Tensor::full({1, 1, 2, 2}, 1.0);
  for (const std::int64_t stride : {2, 900, 1100, 100000}) {
    EXPECT_EQ(ops::conv2d(images(), kernel, {.strides = {stride, stride}}).shape(), unknown) << stride;
    EXPECT_EQ(ops::max_pool2d(images(), {.pool_size = {1, 1}, .strides = {stride, stride}}).shape(), unknown) << stride;
    EXPECT_EQ(operation_output("AveragePool", {images()}, {Argument(stride), {}, "same"}).shape(), unknown) << stride;
  }
}

TEST(UnknownLengths, AreThoseOfTheAxesOnly) {
  const SymbolicTensor x = Input({.shape = {5000, -1, 2}});
  EXPECT_EQ(MaxPooling2D(1, {.strides = 2000})(x).shape(), (Shape{-1, 3, -1, 2}));
}

// The strides of all layers together are 4096.
TEST(UnknownLengths, StayUnknownUnderModelsForOtherShapes) {
  const models::Sequential model({Input({.shape = {64, 64, 2}}), AveragePooling2D(16, {.padding = "same"}),
                                  AveragePooling2D(16, {.padding = "same"}),
                                  AveragePooling2D(16, {.padding = "same"})});
  EXPECT_EQ(model.outputs().front().shape(), (Shape{-1, 1, 1, 2}));
  EXPECT_EQ(
      TimeDistributed(models::Sequential({AveragePooling2D(64, {.padding = "same"}),
                                          AveragePooling2D(64, {.padding = "same"})}))(Input({.shape = {3, -1, -1, 2}}))
          .shape(),
      (Shape{-1, 3, -1, -1, 2}));
}

}  // namespace
}  // namespace rhyton::layers
