#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace rhyton {
inline namespace ops {

/// The padding of an image for a window: none ("valid"), or as many zeros as give the output the length ceil(input /
/// stride) ("same"); an odd one is added at the bottom and right, as in TensorFlow.
enum class Padding { valid, same };

/// Keras's name: "valid", "same".
std::string_view name_of(Padding padding);

/// The padding of that name, in any case. Throws ValueError for another one.
Padding padding_from_name(std::string_view name);

/// The maximum of the lengths of a window, its strides, its dilation rate, its extent and its input; as in TensorFlow,
/// whose kernels use 32 bits for them.
constexpr std::int64_t longest_window = std::numeric_limits<std::int32_t>::max();

/// How a window moves along one axis.
struct WindowAxis {
  std::int64_t input = 0;
  std::int64_t window = 1;
  std::int64_t stride = 1;
  std::int64_t dilation = 1;
  /// The number of positions of the window. Negative where the window is longer than the input and there is no padding.
  std::int64_t output = 0;
  std::int64_t pad_before = 0;
  std::int64_t pad_after = 0;

  WindowAxis() = default;
  /// Throws ValueError when window, stride or dilation is not positive, ShapeOverflowError when one of them, the input
  /// or the extent of the window is longer than `longest_window`.
  WindowAxis(std::int64_t input, std::int64_t window, std::int64_t stride, std::int64_t dilation, Padding padding);
};

/// From the first to the last cell of a window: (window - 1) * dilation + 1. Throws ShapeOverflowError when that, the
/// window or the dilation is longer than `longest_window`. `window` and `dilation` are positive.
std::int64_t window_extent(std::int64_t window, std::int64_t dilation);

/// "3,3", for the texts of attributes.
std::string pair_text(const std::array<std::int64_t, 2>& pair);

}  // namespace ops
}  // namespace rhyton
