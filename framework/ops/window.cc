#include <rhyton/framework/ops/window.h>

#include <algorithm>
#include <cctype>

#include <rhyton/framework/tensor/checked_arithmetic.h>

namespace rhyton {
inline namespace ops {

std::string_view name_of(Padding padding) { return padding == Padding::same ? "same" : "valid"; }

Padding padding_from_name(std::string_view name) {
  std::string lower(name);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  if (lower == "valid") return Padding::valid;
  if (lower == "same") return Padding::same;
  throw ValueError("`padding` must be either `'valid'` or `'same'`. Received: padding=" + std::string(name));
}

std::int64_t window_extent(std::int64_t window, std::int64_t dilation) {
  // Neither factor has more than 31 bits, so that the product cannot overflow.
  if (window <= longest_window && dilation <= longest_window) {
    const std::int64_t extent = (window - 1) * dilation + 1;
    if (extent <= longest_window) return extent;
  }
  throw ShapeOverflowError("A window of size " + std::to_string(window) + " with dilation_rate " +
                           std::to_string(dilation) + " is longer than " + std::to_string(longest_window) +
                           ", which is the most that a window may extend over.");
}

WindowAxis::WindowAxis(std::int64_t input, std::int64_t window, std::int64_t stride, std::int64_t dilation,
                       Padding padding)
    : input(input), window(window), stride(stride), dilation(dilation) {
  if (window < 1 || stride < 1 || dilation < 1) {
    throw ValueError(
        "A window needs positive size, strides and dilation rate. Received: size=" + std::to_string(window) +
        ", stride=" + std::to_string(stride) + ", dilation_rate=" + std::to_string(dilation));
  }
  if (input > longest_window || stride > longest_window) {
    throw ShapeOverflowError("A window slides over at most " + std::to_string(longest_window) +
                             " places, by strides that are no longer. Received: input length=" + std::to_string(input) +
                             ", stride=" + std::to_string(stride));
  }
  const std::int64_t extent = window_extent(window, dilation);
  if (padding == Padding::same) {
    output = (input + stride - 1) / stride;
    const std::int64_t needed = output == 0 ? 0 : std::max<std::int64_t>(0, (output - 1) * stride + extent - input);
    pad_before = needed / 2;
    pad_after = needed - pad_before;
  } else {
    // Rounded down also where it is negative.
    const std::int64_t reach = input - extent;
    output = (reach >= 0 ? reach / stride : -((-reach + stride - 1) / stride)) + 1;
  }
}

std::string pair_text(const std::array<std::int64_t, 2>& pair) {
  return std::to_string(pair[0]) + "," + std::to_string(pair[1]);
}

}  // namespace ops
}  // namespace rhyton
