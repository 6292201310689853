#include <rhyton/framework/ops/rearranging.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <map>

#include <rhyton/framework/ops/attribute_text.h>
#include <rhyton/framework/ops/broadcasting.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/gather.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/framework/tensor/checked_arithmetic.h>
#include <rhyton/framework/tensor/result_type.h>

namespace rhyton {
inline namespace ops {
namespace {

std::size_t axis_index(int axis) { return static_cast<std::size_t>(axis); }

Tensor places_tensor(const std::vector<std::int64_t>& numbers) {
  return Tensor::from_data(Shape({static_cast<std::int64_t>(numbers.size())}), numbers);
}

Shape shape_from(const std::vector<std::int64_t>& lengths) { return Shape(std::span<const std::int64_t>(lengths)); }

std::vector<Tensor> with_rank(const std::vector<Tensor>& tensors, int least, Tensor (*raise)(const Tensor&)) {
  std::vector<Tensor> result;
  for (const Tensor& tensor : tensors) result.push_back(tensor.rank() < least ? raise(tensor) : tensor);
  return result;
}

void require_split_rank(const std::string& function, int least, const Shape& x) {
  if (x.rank() >= least) return;
  throw ValueError("`" + function + "` only works on arrays of at least " + std::to_string(least) + " dimension" +
                   (least == 1 ? "" : "s") + ". Received array with shape " + x.to_string() + ".");
}

// --- Patterns of axes

/// The names in one pair of parentheses, or a single one.
using AxisGroup = std::vector<std::string>;

/// One side of a pattern.
std::vector<AxisGroup> axis_groups(std::string_view text) {
  std::vector<AxisGroup> groups;
  bool is_open = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '(' && !is_open) {
      is_open = true;
      groups.emplace_back();
    } else if (c == ')' && is_open) {
      is_open = false;
    } else if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_') {
      std::string name;
      while (i < text.size() && (std::isalnum(static_cast<unsigned char>(text[i])) != 0 || text[i] == '_')) {
        name += text[i++];
      }
      --i;
      if (!is_open) groups.emplace_back();
      groups.back().push_back(name);
    } else if (c != ' ') {
      throw ValueError("A pattern of `rearrange` has names and parentheses. Received: " + std::string(text));
    }
  }
  if (is_open) throw ValueError("A parenthesis of the pattern is not closed. Received: " + std::string(text));
  return groups;
}

/// The lengths of the axes into which one is divided.
Shape divided_axis(const AxisGroup& group, std::int64_t length, const std::map<std::string, std::int64_t>& given) {
  if (group.size() == 1) return {length};
  Shape lengths;
  int inferred = -1;
  std::int64_t product = 1;
  for (const std::string& name : group) {
    const auto known = given.find(name);
    if (known != given.end()) {
      product = checked_multiply(product, known->second);
    } else if (inferred < 0) {
      inferred = lengths.rank();
    } else {
      throw ValueError("The length of the axis '" + name + "' has to be given.");
    }
    lengths.push_back(known == given.end() ? -1 : known->second);
  }
  if (product < 1 || length % product != 0 || (inferred < 0 && length != product)) {
    throw ValueError("An axis of length " + std::to_string(length) + " cannot be divided into parts of lengths " +
                     lengths.to_string() + ".");
  }
  return inferred < 0 ? lengths : lengths.with(inferred, length / product);
}

// --- Triangles

/// Whether places are kept, [rows, columns], for all with column - row <= k, or with `upper` >= k.
Tensor triangle(std::int64_t rows, std::int64_t columns, std::int64_t k, bool upper) {
  const Tensor row = reshape(range(rows, DType::int64), {rows, 1});
  const Tensor column = range(columns, DType::int64);
  return upper ? greater_equal(column - row, k) : less_equal(column - row, k);
}

Tensor kept_triangle(const Tensor& x, std::int64_t k, bool upper) {
  if (x.rank() < 2) {
    throw InvalidArgumentError("input must be at least 2-dim, received shape: " + bracketed(x.shape()) +
                               " [Op:MatrixBandPart]");
  }
  const Tensor kept = triangle(x.shape().at(-2), x.shape().at(-1), k, upper);
  return where(kept, x, Tensor::zeros({}, x.dtype()));
}

}  // namespace

// --- Axes

Tensor moveaxis(const Tensor& x, const std::vector<int>& sources, const std::vector<int>& destinations) {
  if (sources.size() != destinations.size()) {
    throw ValueError("Inconsistent number of `source` and `destination`. Received: " + attribute("source", sources) +
                     ", " + attribute("destination", destinations));
  }
  constexpr int open = -1;
  std::vector<int> order(axis_index(x.rank()), open);
  std::vector<bool> moves(axis_index(x.rank()), false);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const int source = normalize_axis(sources[i], x.rank());
    const int destination = normalize_axis(destinations[i], x.rank());
    if (moves[axis_index(source)] || order[axis_index(destination)] != open) {
      throw ValueError("moveaxis takes each axis once. Received: " + attribute("source", sources) + ", " +
                       attribute("destination", destinations));
    }
    moves[axis_index(source)] = true;
    order[axis_index(destination)] = source;
  }
  int next = 0;
  for (int& axis : order) {
    if (axis != open) continue;
    while (moves[axis_index(next)]) ++next;
    axis = next++;
  }
  return order.empty() ? x.without_mask() : transpose(x, order);
}

Tensor moveaxis(const Tensor& x, int source, int destination) {
  return moveaxis(x, std::vector<int>{source}, std::vector<int>{destination});
}

Tensor swapaxes(const Tensor& x, int axis1, int axis2) {
  std::vector<int> order(axis_index(x.rank()));
  for (int axis = 0; axis < x.rank(); ++axis) order[axis_index(axis)] = axis;
  std::swap(order[axis_index(normalize_axis(axis1, x.rank()))], order[axis_index(normalize_axis(axis2, x.rank()))]);
  return transpose(x, order);
}

Tensor ravel(const Tensor& x) { return reshape(x, {-1}); }

Tensor rot90(const Tensor& x, int k, const std::vector<int>& axes) {
  if (x.rank() < 2) {
    throw ValueError("Input array must have at least 2 dimensions. Received: array.ndim=" + std::to_string(x.rank()));
  }
  if (axes.size() != 2 || normalize_axis(axes[0], x.rank()) == normalize_axis(axes[1], x.rank())) {
    throw ValueError("Invalid axes: " + attribute("axes", axes) + ". Axes must be a list of two different dimensions.");
  }
  switch ((k % 4 + 4) % 4) {
    case 1:
      return swapaxes(reverse(x, {axes[1]}), axes[0], axes[1]);
    case 2:
      return reverse(x, axes);
    case 3:
      return reverse(swapaxes(x, axes[0], axes[1]), {axes[1]});
    default:
      return x.without_mask();
  }
}

// --- Order along axes

Tensor flip(const Tensor& x, std::optional<int> axis) {
  if (axis) return reverse(x, {*axis});
  std::vector<int> all(axis_index(x.rank()));
  for (int i = 0; i < x.rank(); ++i) all[axis_index(i)] = i;
  return reverse(x, all);
}

Tensor fliplr(const Tensor& x) { return flip(x, 1); }
Tensor flipud(const Tensor& x) { return flip(x, 0); }

Tensor roll(const Tensor& x, std::int64_t shift, std::optional<int> axis) {
  if (!axis) return reshape(roll(ravel(x), shift, 0), x.shape());
  const std::int64_t length = x.shape().at(*axis);
  const std::int64_t moved = length == 0 ? 0 : (shift % length + length) % length;
  if (moved == 0) return x.without_mask();
  return concatenate({slice_axis(x, *axis, length - moved, length), slice_axis(x, *axis, 0, length - moved)}, *axis);
}

Tensor roll(const Tensor& x, const std::vector<std::int64_t>& shifts, const std::vector<int>& axes) {
  if (shifts.size() != axes.size()) {
    throw ValueError("roll takes one shift for each axis. Received: " + attribute("shift", shifts) + ", " +
                     attribute("axis", axes));
  }
  Tensor y = x;
  for (std::size_t i = 0; i < axes.size(); ++i) y = roll(y, shifts[i], axes[i]);
  return y;
}

// --- Joining, cutting and repeating

Tensor append(const Tensor& x1, const Tensor& x2, std::optional<int> axis) {
  return axis ? concatenate({x1, x2}, *axis) : concatenate({ravel(x1), ravel(x2)}, 0);
}

Tensor vstack(const std::vector<Tensor>& tensors) {
  return concatenate(with_rank(tensors, 2, [](const Tensor& x) { return reshape(x, {1, -1}); }), 0);
}

Tensor hstack(const std::vector<Tensor>& tensors) {
  const std::vector<Tensor> raised = with_rank(tensors, 1, &ravel);
  const bool are_vectors = !raised.empty() && raised.front().rank() == 1;
  return concatenate(raised, are_vectors ? 0 : 1);
}

Tensor dstack(const std::vector<Tensor>& tensors) {
  return concatenate(with_rank(tensors, 3,
                               [](const Tensor& x) {
                                 return x.rank() == 2 ? expand_dims(x, 2) : reshape(x, {1, -1, 1});
                               }),
                     2);
}

std::vector<Tensor> array_split(const Tensor& x, int parts, int axis) {
  const std::int64_t length = x.shape().at(axis);
  if (parts < 1) throw ValueError("number sections must be larger than 0. Received: " + std::to_string(parts));
  // The first ones are longer by one where the length is not a multiple.
  std::vector<std::int64_t> indices;
  for (std::int64_t i = 1; i < parts; ++i) indices.push_back(i * (length / parts) + std::min(i, length % parts));
  return indices.empty() ? std::vector<Tensor>{x} : split(x, indices, axis);
}

int hsplit_axis(const Shape& x) {
  require_split_rank("hsplit", 1, x);
  return x.rank() == 1 ? 0 : 1;
}
int vsplit_axis(const Shape& x) {
  require_split_rank("vsplit", 2, x);
  return 0;
}
int dsplit_axis(const Shape& x) {
  require_split_rank("dsplit", 3, x);
  return 2;
}

std::vector<Tensor> hsplit(const Tensor& x, int sections) { return split(x, sections, hsplit_axis(x.shape())); }
std::vector<Tensor> hsplit(const Tensor& x, const std::vector<std::int64_t>& indices) {
  return split(x, indices, hsplit_axis(x.shape()));
}
std::vector<Tensor> hsplit(const Tensor& x, std::initializer_list<std::int64_t> indices) {
  return split(x, indices, hsplit_axis(x.shape()));
}
std::vector<Tensor> vsplit(const Tensor& x, int sections) { return split(x, sections, vsplit_axis(x.shape())); }
std::vector<Tensor> vsplit(const Tensor& x, const std::vector<std::int64_t>& indices) {
  return split(x, indices, vsplit_axis(x.shape()));
}
std::vector<Tensor> vsplit(const Tensor& x, std::initializer_list<std::int64_t> indices) {
  return split(x, indices, vsplit_axis(x.shape()));
}
std::vector<Tensor> dsplit(const Tensor& x, int sections) { return split(x, sections, dsplit_axis(x.shape())); }
std::vector<Tensor> dsplit(const Tensor& x, const std::vector<std::int64_t>& indices) {
  return split(x, indices, dsplit_axis(x.shape()));
}
std::vector<Tensor> dsplit(const Tensor& x, std::initializer_list<std::int64_t> indices) {
  return split(x, indices, dsplit_axis(x.shape()));
}

Tensor rearrange(const Tensor& x, std::string_view pattern,
                 const std::vector<std::pair<std::string, std::int64_t>>& axes_lengths) {
  const std::size_t arrow = pattern.find("->");
  if (arrow == std::string_view::npos) {
    throw ValueError("A pattern of `rearrange` has a '->'. Received: pattern=" + std::string(pattern));
  }
  const std::vector<AxisGroup> from = axis_groups(pattern.substr(0, arrow));
  const std::vector<AxisGroup> to = axis_groups(pattern.substr(arrow + 2));
  if (static_cast<int>(from.size()) != x.rank()) {
    throw ValueError("The pattern '" + std::string(pattern) + "' does not fit a tensor of shape " +
                     x.shape().to_string() + ".");
  }
  const std::map<std::string, std::int64_t> given(axes_lengths.begin(), axes_lengths.end());
  std::vector<std::string> names;
  Shape divided;
  for (std::size_t axis = 0; axis < from.size(); ++axis) {
    const Shape lengths = divided_axis(from[axis], x.shape()[static_cast<int>(axis)], given);
    for (const std::int64_t length : lengths) divided.push_back(length);
    names.insert(names.end(), from[axis].begin(), from[axis].end());
  }
  std::vector<int> order;
  Shape joined;
  for (const AxisGroup& group : to) {
    std::int64_t length = 1;
    for (const std::string& name : group) {
      const auto place = std::find(names.begin(), names.end(), name);
      if (place == names.end() || std::count(names.begin(), names.end(), name) > 1) {
        throw ValueError("The axis '" + name + "' of the pattern '" + std::string(pattern) +
                         "' has to be on each side of '->' once.");
      }
      order.push_back(static_cast<int>(place - names.begin()));
      length = checked_multiply(length, divided[order.back()]);
    }
    joined.push_back(length);
  }
  if (order.size() != names.size()) {
    throw ValueError("All axes on the left of the pattern '" + std::string(pattern) + "' have to be on the right.");
  }
  return reshape(transpose(reshape(x, divided), order), joined);
}

Tensor repeat(const Tensor& x, std::int64_t repeats) { return repeat(ravel(x), repeats, 0); }

Tensor repeat(const Tensor& x, const std::vector<std::int64_t>& repeats, int axis) {
  const std::int64_t length = x.shape().at(axis);
  if (repeats.size() == 1) return repeat(x, repeats[0], axis);
  if (static_cast<std::int64_t>(repeats.size()) != length) {
    throw ValueError("Dimensions " + std::to_string(length) + " and " + std::to_string(repeats.size()) +
                     " are not compatible");
  }
  std::vector<std::int64_t> places;
  for (std::int64_t i = 0; i < length; ++i) {
    const std::int64_t times = repeats[static_cast<std::size_t>(i)];
    if (times < 0) throw InvalidArgumentError("`repeats` must be >= 0, got " + std::to_string(times));
    places.insert(places.end(), static_cast<std::size_t>(times), i);
  }
  return gather(x, places_tensor(places), axis);
}

// --- Triangles and diagonals

Tensor tril(const Tensor& x, std::int64_t k) { return kept_triangle(x, k, false); }
Tensor triu(const Tensor& x, std::int64_t k) { return kept_triangle(x, k, true); }

Tensor diag(const Tensor& x, std::int64_t k) {
  if (x.rank() == 1) return diagflat(x, k);
  if (x.rank() == 2) return diagonal(x, k);
  throw ValueError("`x` must be 1d or 2d. Received: x.shape=" + x.shape().to_string());
}

// The elements of a diagonal are a row and a column apart: equally far from each other in the flat matrix.
Tensor diagflat(const Tensor& x, std::int64_t k) {
  const std::int64_t count = x.size();
  const std::int64_t length = checked_add<std::int64_t>(count, k < 0 ? checked_subtract<std::int64_t>(0, k) : k);
  const std::int64_t size = checked_multiply(length, length);
  if (count == 0) return Tensor::zeros({length, length}, x.dtype());
  const std::int64_t before = k >= 0 ? k : -k * length;
  const std::int64_t after = size - before - ((count - 1) * (length + 1) + 1);
  return reshape(call<PadOp>({ravel(x)}, std::vector<std::int64_t>{before}, std::vector<std::int64_t>{after},
                             std::vector<std::int64_t>{length + 1}, 0.0),
                 {length, length});
}

Tensor diagonal(const Tensor& x, std::int64_t offset, int axis1, int axis2) {
  if (x.rank() < 2) {
    throw ValueError("`diagonal` requires an array of at least two dimensions, but `x` is of shape " +
                     x.shape().to_string());
  }
  const Tensor y = moveaxis(x, {axis1, axis2}, {-2, -1});
  const std::int64_t rows = y.shape().at(-2);
  const std::int64_t columns = y.shape().at(-1);
  const std::int64_t count =
      std::max<std::int64_t>(0, offset >= 0 ? std::min(rows, columns - offset) : std::min(rows + offset, columns));
  const Shape others = y.shape().slice(0, y.rank() - 2);
  const Tensor flat = reshape(y, others.concatenate({checked_multiply(rows, columns)}));
  if (count == 0) return slice_axis(flat, -1, 0, 0);
  const std::int64_t begin = offset >= 0 ? offset : -offset * columns;
  return slice_axis(flat, -1, begin, begin + (count - 1) * (columns + 1) + 1, columns + 1);
}

std::vector<Tensor> meshgrid(const std::vector<Tensor>& vectors, GridIndexing indexing) {
  const int rank = static_cast<int>(vectors.size());
  const auto axis_of = [&](int number) {
    return indexing == GridIndexing::xy && rank > 1 && number < 2 ? 1 - number : number;
  };
  std::vector<std::int64_t> lengths(vectors.size());
  for (int i = 0; i < rank; ++i) {
    const Tensor& vector = vectors[axis_index(i)];
    if (vector.rank() > 1) {
      throw ValueError("meshgrid takes scalars and vectors. Received a tensor of shape " + vector.shape().to_string());
    }
    lengths[axis_index(axis_of(i))] = vector.size();
  }
  std::vector<Tensor> grids;
  for (int i = 0; i < rank; ++i) {
    std::vector<std::int64_t> own(vectors.size(), 1);
    own[axis_index(axis_of(i))] = vectors[axis_index(i)].size();
    grids.push_back(broadcast_to(reshape(vectors[axis_index(i)], shape_from(own)), shape_from(lengths)));
  }
  return grids;
}

}  // namespace ops
}  // namespace rhyton
