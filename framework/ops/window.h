#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace rhyton {
inline namespace ops {

/// What stands around an image when a window slides over it: nothing ("valid"), or as many zeros as make the output
/// ceil(input / stride) long ("same"); an odd one goes to the bottom and right, as in TensorFlow.
enum class Padding { valid, same };

/// Keras's name: "valid", "same".
std::string_view name_of(Padding padding);

/// The padding of that name, in any case. Throws ValueError for another one.
Padding padding_from_name(std::string_view name);

/// How a window slides along one axis.
struct WindowAxis {
  std::int64_t input = 0;
  std::int64_t window = 1;
  std::int64_t stride = 1;
  std::int64_t dilation = 1;
  /// Positions of the window. Negative where the window is longer than the input and there is no padding.
  std::int64_t output = 0;
  std::int64_t pad_before = 0;
  std::int64_t pad_after = 0;

  WindowAxis() = default;
  /// Throws ValueError when window, stride or dilation is not positive.
  WindowAxis(std::int64_t input, std::int64_t window, std::int64_t stride, std::int64_t dilation, Padding padding);
};

/// "3,3", for the texts of attributes.
std::string pair_text(const std::array<std::int64_t, 2>& pair);

}  // namespace ops
}  // namespace rhyton
