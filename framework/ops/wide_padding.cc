#include <rhyton/framework/ops/wide_padding.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include <rhyton/framework/ops/shaping.h>

namespace rhyton {
inline namespace ops {
namespace {

/// Padding up to this length, or up to twice the images' length, is left to the kernels.
constexpr std::int64_t max_padding = 32;

bool is_wide(const WindowAxis& axis) {
  return axis.output > 0 && axis.pad_before + axis.pad_after > std::max(max_padding, 2 * axis.input);
}

std::int64_t divide_up(std::int64_t a, std::int64_t b) { return a <= 0 ? 0 : (a - 1) / b + 1; }

/// The taps [first, last) of an axis that read the images at some position, and the padding that remains around these:
/// negative where the window does not reach their border.
struct Reach {
  std::int64_t first;
  std::int64_t last;
  std::int64_t before;
  std::int64_t after;

  explicit Reach(const WindowAxis& axis) : first(0), last(axis.window) {
    const std::int64_t way = (axis.output - 1) * axis.stride;
    if (is_wide(axis)) {
      first = divide_up(axis.pad_before - way, axis.dilation);
      last = std::min(axis.window, (axis.pad_before + axis.input - 1) / axis.dilation + 1);
    }
    before = axis.pad_before - first * axis.dilation;
    after = way + (last - 1 - first) * axis.dilation + 1 - before - axis.input;
  }
  bool is_empty() const { return first >= last; }
};

/// Replaces the one element along an axis by that many zeros; gradients of that element are zero.
Tensor padding_after(const Tensor& x, int axis, std::int64_t length) {
  std::vector<std::pair<std::int64_t, std::int64_t>> paddings(4, {0, 0});
  paddings[static_cast<std::size_t>(axis)] = {0, length};
  return slice_axis(pad(x, paddings), axis, 1, 1 + length);
}

}  // namespace

std::optional<NarrowConvolution> without_wide_padding(const Tensor& x, const Tensor& kernel,
                                                      const Conv2DAttributes& attributes) {
  if (attributes.padding != Padding::same || x.rank() != 4 || kernel.rank() != 4) return std::nullopt;
  std::array<WindowAxis, 2> axes;
  for (std::size_t i = 0; i < 2; ++i) {
    const int axis = static_cast<int>(i);
    axes[i] = WindowAxis(x.shape()[axis + 1], kernel.shape()[axis], attributes.strides[i], attributes.dilation_rate[i],
                         attributes.padding);
  }
  if (std::none_of(axes.begin(), axes.end(), is_wide)) return std::nullopt;

  NarrowConvolution narrow{x, kernel, attributes};
  narrow.attributes.padding = Padding::valid;
  std::vector<std::pair<std::int64_t, std::int64_t>> paddings(4, {0, 0});
  for (std::size_t i = 0; i < 2; ++i) {
    const int axis = static_cast<int>(i);
    const std::int64_t input = axes[i].input;
    const Reach reach(axes[i]);
    if (reach.is_empty()) {
      // All taps read only padding: any one of them on zeros gives the result.
      narrow.kernel = slice_axis(narrow.kernel, axis, 0, 1);
      narrow.x =
          padding_after(slice_axis(narrow.x, axis + 1, 0, 1), axis + 1, (axes[i].output - 1) * axes[i].stride + 1);
      continue;
    }
    narrow.kernel = slice_axis(narrow.kernel, axis, reach.first, reach.last);
    narrow.x = slice_axis(narrow.x, axis + 1, std::max<std::int64_t>(0, -reach.before),
                          input - std::max<std::int64_t>(0, -reach.after));
    paddings[i + 1] = {std::max<std::int64_t>(0, reach.before), std::max<std::int64_t>(0, reach.after)};
  }
  narrow.x = pad(narrow.x, paddings);
  return narrow;
}

}  // namespace ops
}  // namespace rhyton
