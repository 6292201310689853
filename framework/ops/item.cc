#include <rhyton/framework/ops/item.h>

#include <algorithm>
#include <string>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/shaping.h>

namespace rhyton {
inline namespace ops {
namespace {

/// The elements of one axis that an index selects, in ascending order.
struct Range {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t step = 1;
  bool is_reversed = false;
};

Range range_of(const Slice& slice, std::int64_t length) {
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

}  // namespace

Tensor get_item(const Tensor& x, const std::vector<Index>& key) {
  const auto selects = [](const Index& index) {
    return std::holds_alternative<std::int64_t>(index) || std::holds_alternative<Slice>(index);
  };
  const auto ellipses =
      std::count_if(key.begin(), key.end(), [](const Index& index) { return std::holds_alternative<Ellipsis>(index); });
  if (ellipses > 1) throw ValueError("An index can only have a single ellipsis ('...').");
  const auto selected = static_cast<int>(std::count_if(key.begin(), key.end(), selects));
  if (selected > x.rank()) {
    throw ValueError("Too many indices: a tensor of shape " + x.shape().to_string() + " has " +
                     std::to_string(x.rank()) + " axes, but " + std::to_string(selected) + " were indexed.");
  }

  const auto rank = static_cast<std::size_t>(x.rank());
  std::vector<std::int64_t> begin(rank, 0);
  std::vector<std::int64_t> end(x.shape().begin(), x.shape().end());
  std::vector<std::int64_t> steps(rank, 1);
  std::vector<int> reversed;
  // The axes of the result: axes of x, or -1 for a new one.
  std::vector<int> kept;
  int axis = 0;
  const auto keep = [&](int count) {
    for (; count > 0; --count) kept.push_back(axis++);
  };
  const auto restrict_axis = [&](const Range& range) {
    const auto place = static_cast<std::size_t>(axis);
    begin[place] = range.begin;
    end[place] = range.end;
    steps[place] = range.step;
    if (range.is_reversed) reversed.push_back(axis);
  };
  for (const Index& index : key) {
    if (const auto* const position = std::get_if<std::int64_t>(&index)) {
      const std::int64_t length = x.shape()[axis];
      if (*position < -length || *position >= length) {
        throw InvalidArgumentError("slice index " + std::to_string(*position) + " of dimension " +
                                   std::to_string(axis) + " out of bounds. The tensor has shape " +
                                   x.shape().to_string() + ".");
      }
      const std::int64_t from_front = *position < 0 ? *position + length : *position;
      restrict_axis({.begin = from_front, .end = from_front + 1});
      ++axis;
    } else if (const auto* const slice = std::get_if<Slice>(&index)) {
      restrict_axis(range_of(*slice, x.shape()[axis]));
      keep(1);
    } else if (std::holds_alternative<Ellipsis>(index)) {
      keep(x.rank() - selected);
    } else {
      kept.push_back(-1);
    }
  }
  keep(x.rank() - axis);

  Tensor picked = strided_slice(x, begin, end, steps);
  if (!reversed.empty()) picked = reverse(picked, reversed);
  Shape shape;
  for (const int from : kept) shape.push_back(from < 0 ? 1 : picked.shape()[from]);
  return reshape(picked, shape);
}

}  // namespace ops

Tensor Tensor::operator[](const std::vector<Index>& key) const { return get_item(*this, key); }

}  // namespace rhyton
