#include <rhyton/framework/ops/window.h>

#include <algorithm>
#include <cctype>

#include <rhyton/framework/error.h>

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

WindowAxis::WindowAxis(std::int64_t input, std::int64_t window, std::int64_t stride, std::int64_t dilation,
                       Padding padding)
    : input(input), window(window), stride(stride), dilation(dilation) {
  if (window < 1 || stride < 1 || dilation < 1) {
    throw ValueError(
        "A window needs positive size, strides and dilation rate. Received: size=" + std::to_string(window) +
        ", stride=" + std::to_string(stride) + ", dilation_rate=" + std::to_string(dilation));
  }
  const std::int64_t extent = (window - 1) * dilation + 1;
  if (padding == Padding::same) {
    output = (input + stride - 1) / stride;
    const std::int64_t needed = output == 0 ? 0 : std::max<std::int64_t>(0, (output - 1) * stride + extent - input);
    pad_before = needed / 2;
    pad_after = needed - pad_before;
  } else {
    // Rounded down also where it is negative.
    const std::int64_t room = input - extent;
    output = (room >= 0 ? room / stride : -((-room + stride - 1) / stride)) + 1;
  }
}

std::string pair_text(const std::array<std::int64_t, 2>& pair) {
  return std::to_string(pair[0]) + "," + std::to_string(pair[1]);
}

}  // namespace ops
}  // namespace rhyton
