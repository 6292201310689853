#pragma once

#include <cstdint>
#include <vector>

#include <rhyton/framework/ops/window.h>
#include <rhyton/framework/tensor/tensor.h>

namespace rhyton {
inline namespace ops {

/// How the window of a convolution moves, with one entry per spatial axis.
struct ConvolutionAttributes {
  std::vector<std::int64_t> strides;
  Padding padding = Padding::valid;
  std::vector<std::int64_t> dilation_rate;
  std::int64_t groups = 1;
};

/// The convolution with one, two or three spatial axes, by `conv2d`: one axis is an image of height 1; with three, what
/// the window covers of the first axis becomes channels.
///
/// x [N, spatial axes, Cin], kernel [window, Cin / groups, Cout] -> [N, spatial axes', Cout]. Throws the errors of
/// `conv2d`, and ValueError for another number of spatial axes and for strides or a dilation rate without exactly one
/// entry per spatial axis.
Tensor convolution(const Tensor& x, const Tensor& kernel, const ConvolutionAttributes& attributes);

/// The kernel of a convolution that has a group for each channel, from that of a depthwise convolution:
/// [window, channels, multiplier] -> [window, 1, channels · multiplier]. The outputs of a channel lie side by side.
Tensor depthwise_as_grouped(const Tensor& kernel);

}  // namespace ops
}  // namespace rhyton
