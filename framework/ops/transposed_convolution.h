#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <rhyton/framework/ops/window.h>
#include <rhyton/framework/tensor/tensor.h>

namespace rhyton {
inline namespace ops {

/// How a transposed convolution spreads its inputs, with one entry per spatial axis.
struct TransposedConvolutionAttributes {
  std::vector<std::int64_t> strides;
  Padding padding = Padding::valid;
  std::vector<std::int64_t> dilation_rate;
  /// The lengths of the output.
  std::vector<std::int64_t> lengths;
};

/// The length of an axis of the output by Keras's formulas, for one of `input` elements. Without `output_padding` a
/// padding of "same" gives `input` times the stride. Negative where there is no output.
std::int64_t transposed_length(std::int64_t input, std::int64_t window, std::int64_t stride, std::int64_t dilation,
                               Padding padding, std::optional<std::int64_t> output_padding);

/// The derivative with respect to its inputs of a convolution with that window, one to three spatial axes and one
/// output per place of x (keras.ops.conv_transpose). Where the padding is "same", the output is cropped by half of what
/// it lacks of the length that x spreads over, rounded down, in front.
///
/// x [N, spatial axes, Cin], kernel [window, Cout, Cin] -> [N, lengths, Cout].
Tensor transposed_convolution(const Tensor& x, const Tensor& kernel, const TransposedConvolutionAttributes& attributes);

}  // namespace ops
}  // namespace rhyton
