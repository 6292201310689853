#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <rhyton/framework/tensor/tensor.h>

namespace rhyton {
inline namespace ops {
namespace image {

/// How values between pixels are made of those of the pixels. "area" is the mean of what an output covers.
enum class Interpolation { bilinear, nearest, lanczos3, lanczos5, bicubic, area };

/// Keras's name: "bilinear".
std::string_view name_of(Interpolation interpolation);
/// The interpolation of that name, in any case. Throws ValueError in Keras's words for another one.
Interpolation interpolation_from_name(std::string name);

/// The inputs that make up one output: inputs[begin + i] · weights[i]. The weights add up to 1.
struct InterpolationSpan {
  std::int64_t begin = 0;
  std::vector<float> weights;
};

/// What the output at `position` consists of when `input` values are resized to `output` values, with their centres at
/// 0.5, 1.5 …, as `tf.image.resize`. With `antialias` a filter is as wide as the distance of two outputs; "nearest" and
/// "area" have none. For positive lengths.
InterpolationSpan interpolation_span(Interpolation interpolation, std::int64_t input, std::int64_t output,
                                     std::int64_t position, bool antialias = false);

/// x resized to `length` values along `axis`, counted from the front and not the first. With "nearest" values are
/// selected, of any dtype. Else x has dtype float32 and the result is made of products with matrices of those weights,
/// which are cut where they would be large, so that memory grows in proportion to the lengths only. Throws ValueError
/// for a length that is not positive or longer than 32 bits, of the input or the output.
Tensor interpolate_axis(const Tensor& x, int axis, std::int64_t length, Interpolation interpolation,
                        bool antialias = false);

/// Numbers in float32 converted to `dtype`; for integers they are rounded and limited to its range.
Tensor saturated(const Tensor& x, DType dtype);

}  // namespace image
}  // namespace ops
}  // namespace rhyton
