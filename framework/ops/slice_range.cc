#include <rhyton/framework/ops/slice_range.h>

#include <algorithm>

#include <rhyton/framework/error.h>

namespace rhyton {

SliceRange slice_range(const Slice& slice, std::int64_t length) {
  const std::int64_t step = slice.step.value_or(1);
  if (step == 0) throw ValueError("slice step cannot be zero");
  const auto position = [&](std::int64_t bound) {
    const std::int64_t lowest = step > 0 ? 0 : -1;
    const std::int64_t highest = step > 0 ? length : length - 1;
    if (bound < 0) bound = bound < -length ? -1 : bound + length;
    return std::clamp(bound, lowest, std::max(lowest, highest));
  };
  const std::int64_t first = slice.start ? position(*slice.start) : (step > 0 ? 0 : length - 1);
  const std::int64_t last = slice.stop ? position(*slice.stop) : (step > 0 ? length : -1);
  if (step > 0) return {.begin = first, .end = std::max(first, last), .step = step};
  if (first <= last) return {};
  // A step beyond the axis selects one element, whatever its size.
  const std::int64_t stride = step < -length ? length : -step;
  const std::int64_t count = (first - last - 1) / stride + 1;
  return {.begin = first - (count - 1) * stride, .end = first + 1, .step = stride, .is_reversed = true};
}

}  // namespace rhyton
