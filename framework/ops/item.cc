#include <rhyton/framework/ops/item.h>

#include <algorithm>
#include <string>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/framework/ops/slice_range.h>

namespace rhyton {
inline namespace ops {

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
  const auto restrict_axis = [&](const SliceRange& range) {
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
      restrict_axis(slice_range(*slice, x.shape()[axis]));
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
