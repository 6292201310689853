#include <rhyton/framework/ops/tensor_products.h>

#include <algorithm>
#include <numeric>
#include <string>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/broadcasting.h>
#include <rhyton/framework/ops/contraction.h>
#include <rhyton/framework/ops/convolutions.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/rearranging.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/framework/tensor/checked_arithmetic.h>
#include <rhyton/framework/tensor/result_type.h>

namespace rhyton {
inline namespace ops {
namespace {

std::size_t label_index(int axis) { return static_cast<std::size_t>(axis); }

/// Narrow integers and truth values are multiplied as int32.
Tensor as_factor(const Tensor& x, DType dtype) { return cast(x, is_short(dtype) ? DType::int32 : dtype); }

/// The products of elements that broadcast.
Tensor scaled(const Tensor& x1, const Tensor& x2) {
  const DType dtype = result_type(x1.dtype(), x2.dtype());
  return cast(as_factor(x1, dtype) * as_factor(x2, dtype), dtype);
}

/// Element `index` of the last axis, without that axis; zeros if the axis ends before it.
Tensor cross_component(const Tensor& x, std::int64_t index) {
  if (index >= x.shape().at(-1)) return zeros_like(cross_component(x, 0));
  return reshape(slice_axis(x, -1, index, index + 1), x.shape().slice(0, x.rank() - 1));
}

void require_vector(const std::string& argument, const Tensor& x) {
  if (x.rank() == 1) return;
  throw ValueError("`" + argument + "` must be a 1-dimensional tensor, but received shape " + x.shape().to_string());
}

void require_cross_vectors(const Tensor& x) {
  const std::int64_t length = x.shape().at(-1);
  if (length == 2 || length == 3) return;
  throw InvalidArgumentError("Cross-products are only defined for 3-element vectors. Received a length of " +
                             std::to_string(length) + " [Op:Cross]");
}

}  // namespace

Tensor tensordot(const Tensor& x1, const Tensor& x2, int axes) {
  if (axes < 0) throw ValueError("`axes` must be at least 0. Received: axes=" + std::to_string(axes));
  if (axes > x1.rank() || axes > x2.rank()) {
    throw ValueError("`axes` must not be larger than the number of dimensions of tensors of shapes " +
                     x1.shape().to_string() + " and " + x2.shape().to_string() +
                     ". Received: axes=" + std::to_string(axes));
  }
  std::vector<int> last(label_index(axes));
  std::vector<int> first(label_index(axes));
  std::iota(last.begin(), last.end(), x1.rank() - axes);
  std::iota(first.begin(), first.end(), 0);
  return tensordot(x1, x2, last, first);
}

Tensor tensordot(const Tensor& x1, const Tensor& x2, const std::vector<int>& axes1, const std::vector<int>& axes2) {
  if (axes1.size() != axes2.size()) {
    throw ValueError("Different number of contraction axes: " + std::to_string(axes1.size()) + " and " +
                     std::to_string(axes2.size()) + ".");
  }
  const DType dtype = result_type(x1.dtype(), x2.dtype());
  LabelledTensor a{as_factor(x1, dtype), std::vector<int>(label_index(x1.rank()))};
  LabelledTensor b{as_factor(x2, dtype), std::vector<int>(label_index(x2.rank()))};
  std::iota(a.labels.begin(), a.labels.end(), 0);
  std::iota(b.labels.begin(), b.labels.end(), x1.rank());
  for (std::size_t i = 0; i < axes1.size(); ++i) {
    const int of_a = normalize_axis(axes1[i], x1.rank());
    const int of_b = normalize_axis(axes2[i], x2.rank());
    if (x1.shape()[of_a] != x2.shape()[of_b]) {
      throw InvalidArgumentError("Matrix size-incompatible: In[0]: " + bracketed(x1.shape()) +
                                 ", In[1]: " + bracketed(x2.shape()) + " [Op:MatMul]");
    }
    if (std::count(b.labels.begin(), b.labels.end(), of_a) > 0 || b.labels[label_index(of_b)] < x1.rank()) {
      throw ValueError("tensordot takes each axis once.");
    }
    b.labels[label_index(of_b)] = of_a;
  }
  std::vector<int> kept;
  for (const int label : a.labels) {
    if (std::count(b.labels.begin(), b.labels.end(), label) == 0) kept.push_back(label);
  }
  for (const int label : b.labels) {
    if (label >= x1.rank()) kept.push_back(label);
  }
  return cast(in_order(contract(a, b, kept), kept), dtype);
}

Tensor dot(const Tensor& x1, const Tensor& x2) {
  if (x1.rank() == 0 || x2.rank() == 0) return scaled(x1, x2);
  return tensordot(x1, x2, {-1}, {x2.rank() == 1 ? -1 : -2});
}

Tensor inner(const Tensor& x1, const Tensor& x2) {
  if (x1.rank() == 0 || x2.rank() == 0) return scaled(x1, x2);
  return tensordot(x1, x2, {-1}, {-1});
}

Tensor outer(const Tensor& x1, const Tensor& x2) {
  const Tensor column = reshape(x1, {-1, 1});
  const Tensor row = reshape(x2, {-1});
  const bool are_truth_values = x1.dtype() == DType::bool_ && x2.dtype() == DType::bool_;
  return are_truth_values ? logical_and(column, row) : column * row;
}

Tensor vdot(const Tensor& x1, const Tensor& x2) { return dot(reshape(x1, {-1}), reshape(x2, {-1})); }

Tensor kron(const Tensor& x1, const Tensor& x2) {
  const int rank = std::max(x1.rank(), x2.rank());
  Shape of_first;
  Shape of_second;
  Shape whole;
  for (int axis = 0; axis < rank; ++axis) {
    const auto length = [&](const Tensor& x) {
      const int own = axis - (rank - x.rank());
      return own < 0 ? std::int64_t{1} : x.shape()[own];
    };
    of_first.push_back(length(x1));
    of_first.push_back(1);
    of_second.push_back(1);
    of_second.push_back(length(x2));
    whole.push_back(checked_multiply(length(x1), length(x2)));
  }
  return reshape(reshape(x1, of_first) * reshape(x2, of_second), whole);
}

Tensor cross(const Tensor& x1, const Tensor& x2, int axisa, int axisb, int axisc) {
  const Tensor a = moveaxis(x1, axisa, -1);
  const Tensor b = moveaxis(x2, axisb, -1);
  require_cross_vectors(a);
  require_cross_vectors(b);
  const auto part = [&](std::int64_t first, std::int64_t second) {
    return cross_component(a, first) * cross_component(b, second) -
           cross_component(a, second) * cross_component(b, first);
  };
  if (a.shape().at(-1) == 2 && b.shape().at(-1) == 2) return part(0, 1);
  const Tensor whole = stack({part(1, 2), part(2, 0), part(0, 1)}, -1);
  return moveaxis(whole, -1, axisc);
}

Tensor cross(const Tensor& x1, const Tensor& x2, int axis) { return cross(x1, x2, axis, axis, axis); }

CorrelationMode correlation_mode_from_name(std::string_view name) {
  if (name == "valid") return CorrelationMode::valid;
  if (name == "same") return CorrelationMode::same;
  if (name == "full") return CorrelationMode::full;
  throw ValueError("Invalid mode: '" + std::string(name) + "'. Mode must be one of: 'full', 'same', 'valid'.");
}

Tensor correlate(const Tensor& x1, const Tensor& x2, CorrelationMode mode) {
  require_vector("x1", x1);
  require_vector("x2", x2);
  const DType common = result_type(x1.dtype(), x2.dtype());
  const DType dtype = is_floating(common) ? common : common == DType::int64 ? DType::float64 : DType::float32;
  const std::int64_t length = x1.size();
  const std::int64_t window = x2.size();
  Tensor sequence = cast(x1, dtype);
  if (mode != CorrelationMode::valid) sequence = pad(sequence, {{window - 1, window - 1}});
  Tensor sums = reshape(
      conv(reshape(sequence, {1, -1, 1}), reshape(cast(x2, dtype), {-1, 1, 1}), {.data_format = "channels_last"}),
      {-1});
  if (mode != CorrelationMode::same) return sums;
  const std::int64_t kept = std::max(length, window);
  const std::int64_t first = (sums.size() - kept) / 2;
  return slice_axis(sums, 0, first, first + kept);
}

Tensor trace(const Tensor& x, std::int64_t offset, int axis1, int axis2) {
  return sum(diagonal(x, offset, axis1, axis2), {-1});
}

}  // namespace ops
}  // namespace rhyton
