#include <string>

#include <rhyton/framework/ops/conv.h>
#include <rhyton/framework/ops/conv_max_pool.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/pooling.h>
#include <rhyton/framework/ops/scaled_conv.h>
#include <rhyton/tests/framework/ops/conformance_case.h>

namespace rhyton::conformance {
namespace {

using Inputs = std::vector<Tensor>;

Case convolution(const std::string& name, const Shape& x, const Shape& kernel, const Conv2DAttributes& window) {
  return {.name = "conv2d_" + name,
          .call = [window](const Inputs& in) { return one(conv2d(in[0], in[1], window)); },
          .inputs = {{.shape = x}, {.shape = kernel}}};
}

Case fused_convolution(const std::string& name, Epilogue activation, bool has_bias) {
  Case result{
      .name = "fused_conv2d_" + name,
      .call = [=](const Inputs& x) { return one(apply_single(std::make_shared<const FusedConv2DOp>(activation), x)); },
      .inputs = {{.shape = {3, 5, 4, 2}}, {.shape = {3, 2, 2, 5}}},
      .derivatives = 0};
  if (has_bias) result.inputs.push_back({.shape = {5}});
  return result;
}

Case scaled_convolution(const std::string& name, Epilogue activation) {
  return {
      .name = "scaled_conv2d_" + name,
      .call = [=](const Inputs& x) { return one(apply_single(std::make_shared<const ScaledConv2DOp>(activation), x)); },
      .inputs = {{.shape = {3, 5, 4, 2}}, {.shape = {3, 2, 2, 5}}, {.shape = {5}}, {.shape = {5}}},
      .derivatives = 0};
}

std::vector<Case> conv_max_pool() {
  const Input index = {.shape = {3, 2, 1, 5}, .dtype = DType::uint8, .lowest = 0, .highest = 4};
  const auto call = [](const OpPtr& op) { return [op](const Inputs& in) { return rhyton::apply(op, in); }; };
  return {
      {.name = "fused_conv2d_max_pool",
       .call = call(std::make_shared<const FusedConv2DMaxPoolOp>(FusedConv2DOp(Epilogue::relu), Pool2DAttributes())),
       .inputs = {{.shape = {3, 6, 4, 2}, .distinct = true}, {.shape = {3, 2, 2, 5}}, {.shape = {5}}},
       .derivatives = 0},
      {.name = "conv2d_max_pool_input_gradient",
       .call = call(std::make_shared<const Conv2DMaxPoolInputGradientOp>(6, 4, Conv2DAttributes(), Pool2DAttributes())),
       .inputs = {{.shape = {3, 2, 2, 5}}, {.shape = {3, 2, 1, 5}}, index},
       .derivatives = 0},
      {.name = "conv2d_max_pool_kernel_gradient",
       .call =
           call(std::make_shared<const Conv2DMaxPoolKernelGradientOp>(3, 2, Conv2DAttributes(), Pool2DAttributes())),
       .inputs = {{.shape = {3, 6, 4, 2}}, {.shape = {3, 2, 1, 5}}, index},
       .derivatives = 0},
  };
}

Case pooling(const std::string& name, Tensor (*f)(const Tensor&, const Pool2DAttributes&), const Shape& x,
             const Pool2DAttributes& window) {
  return {.name = name,
          // Squared, so that the second derivative is not zero.
          .call = [f, window](const Inputs& in) { return one(square(f(in[0], window))); },
          .inputs = {{.shape = x, .distinct = true}}};
}

}  // namespace

std::vector<Case> conv_cases() {
  std::vector<Case> cases = {
      convolution("plain", {3, 5, 4, 2}, {3, 2, 2, 3}, {}),
      convolution("same", {2, 4, 5, 1}, {3, 3, 1, 2}, {.padding = Padding::same}),
      convolution("strides", {2, 6, 5, 2}, {3, 2, 2, 2}, {.strides = {2, 3}, .padding = Padding::same}),
      convolution("dilation", {2, 6, 6, 1}, {2, 3, 1, 2}, {.dilation_rate = {2, 2}}),
      convolution("groups", {2, 4, 4, 4}, {2, 2, 2, 2}, {.groups = 2}),
      convolution("depthwise", {2, 4, 4, 3}, {3, 3, 1, 3}, {.padding = Padding::same, .groups = 3}),
      convolution("one_by_one", {2, 3, 3, 4}, {1, 1, 4, 3}, {}),
      convolution("whole_image", {2, 3, 3, 1}, {3, 3, 1, 2}, {}),
      fused_convolution("bias_relu", Epilogue::relu, true),
      fused_convolution("bias", Epilogue::none, true),
      fused_convolution("relu", Epilogue::relu, false),
      scaled_convolution("plain", Epilogue::none),
      scaled_convolution("relu6", Epilogue::relu6),
  };
  for (const Case& test : conv_max_pool()) cases.push_back(test);
  return cases;
}

std::vector<Case> pooling_cases() {
  return {
      pooling("max_pool2d", &max_pool2d, {3, 4, 5, 2}, {}),
      pooling("max_pool2d_same", &max_pool2d, {2, 5, 5, 2}, {.padding = Padding::same}),
      pooling("max_pool2d_overlapping", &max_pool2d, {2, 5, 4, 1}, {.pool_size = {3, 2}, .strides = {1, 1}}),
      pooling("average_pool2d", &average_pool2d, {3, 4, 5, 2}, {}),
      pooling("average_pool2d_same", &average_pool2d, {2, 5, 5, 2}, {.pool_size = {3, 3}, .padding = Padding::same}),
      pooling("average_pool2d_overlapping", &average_pool2d, {2, 5, 4, 1}, {.pool_size = {3, 2}, .strides = {1, 1}}),
  };
}

}  // namespace rhyton::conformance
