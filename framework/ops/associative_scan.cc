#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/rearranging.h>
#include <rhyton/framework/ops/scan.h>
#include <rhyton/framework/ops/shaping.h>

namespace rhyton {
inline namespace ops {
namespace {

using Tensors = std::vector<Tensor>;
using Combine = std::function<Tensors(const Tensors&, const Tensors&)>;

/// The recursion along one axis, counted from the front: the elements are combined in pairs, the pairs are scanned, and
/// each element between two pairs is combined with the one before it.
class AssociativeScan {
 public:
  AssociativeScan(const Combine& combine, int axis) : combine_(combine), axis_(axis) {}

  Tensors run(const Tensors& elems) const {
    const std::int64_t length = elems.front().shape()[axis_];
    if (length < 2) return elems;
    const Tensors pairs = combine(part(elems, 0, length - 1, 2), part(elems, 1, length, 2));
    const Tensors odd = run(pairs);
    if (length == 2) return joined(part(elems, 0, 1), odd);
    const std::int64_t before = odd.front().shape()[axis_] - (length % 2 == 0 ? 1 : 0);
    const Tensors even = combine(part(odd, 0, before), part(elems, 2, length, 2));
    return interleaved(joined(part(elems, 0, 1), even), odd);
  }

 private:
  Tensors combine(const Tensors& a, const Tensors& b) const {
    Tensors result = combine_(a, b);
    if (result.size() != a.size()) {
      throw ValueError(fmt::format("`f` of associative_scan must return {} tensors, as many as `elems`. Received: {}",
                                   a.size(), result.size()));
    }
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (result[i].shape() == a[i].shape()) continue;
      throw ValueError(
          fmt::format("`f` of associative_scan must return tensors of the shape of its arguments. Expected "
                      "{}, received: {}",
                      a[i].shape().to_string(), result[i].shape().to_string()));
    }
    return result;
  }

  Tensors part(const Tensors& tensors, std::int64_t begin, std::int64_t end, std::int64_t step = 1) const {
    Tensors result;
    for (const Tensor& tensor : tensors) result.push_back(slice_axis(tensor, axis_, begin, end, step));
    return result;
  }

  Tensors joined(const Tensors& first, const Tensors& second) const {
    Tensors result;
    for (std::size_t i = 0; i < first.size(); ++i) result.push_back(concatenate({first[i], second[i]}, axis_));
    return result;
  }

  /// [a b c] [d e] -> [a d b e c]
  Tensors interleaved(const Tensors& even, const Tensors& odd) const {
    Tensors result;
    for (std::size_t i = 0; i < even.size(); ++i) {
      const std::int64_t pairs = odd[i].shape()[axis_];
      const Tensor both = stack({slice_axis(even[i], axis_, 0, pairs), odd[i]}, axis_ + 1);
      const Tensor woven = reshape(both, odd[i].shape().with(axis_, 2 * pairs));
      const std::int64_t length = even[i].shape()[axis_];
      result.push_back(length == pairs ? woven
                                       : concatenate({woven, slice_axis(even[i], axis_, pairs, length)}, axis_));
    }
    return result;
  }

  const Combine& combine_;
  int axis_;
};

int axis_in(const Tensor& tensor, int axis) {
  const int rank = tensor.rank();
  if (axis < -rank || axis >= rank) {
    throw ValueError(fmt::format("axis {} is out of bounds for a tensor of rank {} in associative_scan", axis, rank));
  }
  return axis < 0 ? axis + rank : axis;
}

/// The axis, counted from the front; it has the same length in all tensors.
int common_axis(const Tensors& elems, int axis) {
  if (elems.empty()) throw ValueError("`associative_scan` requires at least one tensor.");
  const int first = axis_in(elems.front(), axis);
  std::string shapes;
  bool are_alike = true;
  for (const Tensor& elem : elems) {
    const int own = axis_in(elem, axis);
    if (own != first) throw ValueError("The tensors of associative_scan must have one rank if `axis` is negative.");
    are_alike = are_alike && elem.shape()[own] == elems.front().shape()[first];
    shapes += (shapes.empty() ? "" : ", ") + elem.shape().to_string();
  }
  if (!are_alike) {
    throw ValueError(
        fmt::format("Array inputs to associative_scan must have the same first dimension. (saw: [{}])", shapes));
  }
  return first;
}

}  // namespace

Tensors associative_scan(const Combine& f, const Tensors& elems, bool reverse, int axis) {
  const int along = common_axis(elems, axis);
  const auto in_order = [&](const Tensors& tensors) {
    if (!reverse) return tensors;
    Tensors flipped;
    for (const Tensor& tensor : tensors) flipped.push_back(flip(tensor, along));
    return flipped;
  };
  return in_order(AssociativeScan(f, along).run(in_order(elems)));
}

Tensor associative_scan(const std::function<Tensor(const Tensor&, const Tensor&)>& f, const Tensor& elems, bool reverse,
                        int axis) {
  const Combine combine = [&](const Tensors& a, const Tensors& b) { return Tensors{f(a.front(), b.front())}; };
  return associative_scan(combine, Tensors{elems}, reverse, axis).front();
}

}  // namespace ops
}  // namespace rhyton
