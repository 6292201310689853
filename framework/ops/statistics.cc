#include <rhyton/framework/ops/statistics.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/broadcasting.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/extremum.h>
#include <rhyton/framework/ops/gather.h>
#include <rhyton/framework/ops/indexing.h>
#include <rhyton/framework/ops/matmul.h>
#include <rhyton/framework/ops/promotion.h>
#include <rhyton/framework/ops/rearranging.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/framework/ops/sorting.h>
#include <rhyton/framework/ops/tensor_products.h>

namespace rhyton {
inline namespace ops {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

std::vector<int> counted_axes(const std::vector<int>& axes, int rank) {
  std::vector<int> result;
  for (int axis = 0; axes.empty() && axis < rank; ++axis) result.push_back(axis);
  for (const int axis : axes) result.push_back(normalize_axis(axis, rank));
  return result;
}

bool is_among(const std::vector<int>& axes, int axis) {
  return std::find(axes.begin(), axes.end(), axis) != axes.end();
}

// --- Quantiles

/// The elements of a sorted last axis at `place`, without that axis.
Tensor sorted_element(const Tensor& sorted, std::int64_t place) {
  return reshape(slice_axis(sorted, -1, place, place + 1), sorted.shape().slice(0, sorted.rank() - 1));
}

Tensor quantile_of(const Tensor& sorted, double q, QuantileMethod method) {
  const std::int64_t last = sorted.shape().at(-1) - 1;
  const double exact = static_cast<double>(last) * q;
  const auto place = [&](double position) {
    return std::clamp<std::int64_t>(static_cast<std::int64_t>(position), 0, last);
  };
  const std::int64_t higher = place(std::ceil(exact));
  switch (method) {
    case QuantileMethod::lower:
      return sorted_element(sorted, place(std::floor(exact)));
    case QuantileMethod::higher:
      return sorted_element(sorted, higher);
    case QuantileMethod::nearest:
      return sorted_element(sorted, place(std::nearbyint(exact)));
    case QuantileMethod::midpoint:
      return (sorted_element(sorted, place(std::floor(exact))) + sorted_element(sorted, higher)) * 0.5;
    case QuantileMethod::linear:
      break;
  }
  const std::int64_t smaller = std::max<std::int64_t>(higher - 1, 0);
  const std::int64_t larger = std::min(smaller + 1, last);
  const double fraction = static_cast<double>(larger) - exact;
  return sorted_element(sorted, larger) * (1.0 - fraction) + sorted_element(sorted, smaller) * fraction;
}

/// What stands for the elements where there are none.
enum class OfNothing { error, nan };

/// The elements of some axes as a new last axis, in ascending order with NaN at the end.
struct SortedElements {
  Tensor sorted;
  /// The shape of x with those axes of length 1.
  Shape kept;
};

SortedElements sorted_elements(const Tensor& x, const std::vector<int>& axes, OfNothing of_nothing = OfNothing::error) {
  const std::vector<int> reduced = counted_axes(axes, x.rank());
  std::vector<int> order;
  Shape others;
  Shape kept;
  for (int axis = 0; axis < x.rank(); ++axis) {
    kept.push_back(is_among(reduced, axis) ? 1 : x.shape()[axis]);
    if (is_among(reduced, axis)) continue;
    order.push_back(axis);
    others.push_back(x.shape()[axis]);
  }
  order.insert(order.end(), reduced.begin(), reduced.end());
  const Tensor moved = order.empty() ? x : transpose(x, order);
  const std::int64_t length = moved.shape().slice(others.rank(), moved.rank()).size();
  if (length == 0 && of_nothing == OfNothing::nan) {
    return {Tensor::full(others.concatenate({1}), not_a_number, x.dtype()), kept};
  }
  if (length == 0) throw InvalidArgumentError("A quantile of no elements does not exist.");
  return {sort(reshape(moved, others.concatenate({length})), -1), kept};
}

/// The quantile of the first elements of a sorted last axis, of which `last` [..., 1], in float64, is the place of the
/// last one.
Tensor quantile_up_to(const Tensor& sorted, const Tensor& last, double q, QuantileMethod method) {
  const Tensor exact = last * q;
  const auto element = [&](const Tensor& place) {
    return take_along_axis(sorted, cast(minimum(maximum(place, 0.0), last), DType::int64), -1);
  };
  switch (method) {
    case QuantileMethod::lower:
      return element(floor(exact));
    case QuantileMethod::higher:
      return element(ceil(exact));
    case QuantileMethod::nearest:
      return element(round(exact));
    case QuantileMethod::midpoint:
      return (element(floor(exact)) + element(ceil(exact))) * 0.5;
    case QuantileMethod::linear:
      break;
  }
  const Tensor smaller = maximum(ceil(exact) - 1.0, 0.0);
  const Tensor larger = minimum(smaller + 1.0, last);
  const Tensor fraction = cast(larger - exact, sorted.dtype());
  return element(larger) * (1.0 - fraction) + element(smaller) * fraction;
}

void require_quantiles(const std::vector<double>& q) {
  for (const double part : q) {
    if (part >= 0.0 && part <= 1.0) continue;
    throw ValueError("Quantiles must be in the range [0, 1]. Received: q=" + std::to_string(part));
  }
}

// --- NaN

/// x with NaN replaced by a number.
Tensor without_nan(const Tensor& x, double value) { return is_floating(x.dtype()) ? where(isnan(x), value, x) : x; }

}  // namespace

// --- Quantiles

Tensor quantile(const Tensor& given, const std::vector<double>& q, const std::vector<int>& axes, QuantileMethod method,
                bool keepdims) {
  require_quantiles(q);
  const auto [sorted, kept] = sorted_elements(to_floating(given), axes);
  const Tensor has_nan = any(isnan(sorted), {-1});
  std::vector<Tensor> results;
  for (const double part : q) {
    const Tensor y = where(has_nan, not_a_number, quantile_of(sorted, part, method));
    results.push_back(keepdims ? reshape(y, kept) : y);
  }
  return stack(results);
}

Tensor quantile(const Tensor& x, double q, const std::vector<int>& axes, QuantileMethod method, bool keepdims) {
  const Tensor one = quantile(x, std::vector<double>{q}, axes, method, keepdims);
  return reshape(one, one.shape().slice(1, one.rank()));
}

Tensor percentile(const Tensor& x, double q, const std::vector<int>& axes, QuantileMethod method, bool keepdims) {
  return quantile(x, q / 100.0, axes, method, keepdims);
}

Tensor median(const Tensor& x, const std::vector<int>& axes, bool keepdims) {
  return quantile(x, 0.5, axes, QuantileMethod::linear, keepdims);
}

// --- Moments

Tensor average(const Tensor& given, std::optional<int> axis, const Tensor& given_weights) {
  const std::vector<int> axes = axis ? std::vector<int>{*axis} : std::vector<int>{};
  if (given_weights.is_empty()) return mean(to_floating(given), axes);
  // Bools beside weights of float16 give float16, not the float32 of bools alone.
  const DType dtype = floating_result_type(result_type(given.dtype(), given_weights.dtype()));
  const Tensor x = cast(given, dtype);
  const Tensor weights = cast(given_weights, dtype);
  const bool is_for_axis = axis && weights.rank() == 1 && weights.size() == x.shape().at(*axis);
  if (!is_for_axis && weights.shape() != x.shape()) {
    throw InvalidArgumentError(
        "`average` takes weights of the shape of `x` or, with an axis, a vector of its length. "
        "Received: shape " +
        weights.shape().to_string() + " for x of shape " + x.shape().to_string());
  }
  if (is_for_axis && x.rank() > 1) {
    Shape column({weights.size()});
    while (column.rank() < x.rank() - normalize_axis(*axis, x.rank())) column.push_back(1);
    return sum(x * reshape(weights, column), axes) / sum(weights);
  }
  return sum(x * weights, axes) / sum(weights, axes);
}

Tensor standard_deviation(const Tensor& x, const std::vector<int>& axes, bool keepdims) {
  return sqrt(variance(to_floating(x), axes, keepdims));
}

Tensor ptp(const Tensor& x, const std::vector<int>& axes, bool keepdims) {
  return reduce_max(x, axes, keepdims) - reduce_min(x, axes, keepdims);
}

Tensor count_nonzero(const Tensor& x, const std::vector<int>& axes) { return sum(cast(x, DType::bool_), axes); }

Tensor corrcoef(const Tensor& given) {
  const Tensor x = given.dtype() == DType::int64 ? cast(given, DType::float64) : to_floating(given);
  if (x.rank() != 2) {
    throw InvalidArgumentError("corrcoef takes a matrix, but got a tensor of shape " + bracketed(x.shape()));
  }
  const Tensor centered = x - mean(x, {-1}, true);
  const Tensor covariance = matmul(centered, centered, false, true) / static_cast<double>(x.shape()[1] - 1);
  const Tensor deviation = sqrt(diagonal(covariance));
  return clip_by_value(covariance / outer(deviation, deviation), -1.0, 1.0);
}

// --- Reductions that leave out NaN

Tensor nansum(const Tensor& x, const std::vector<int>& axes, bool keepdims) {
  return sum(without_nan(x, 0.0), axes, keepdims);
}

Tensor nanprod(const Tensor& x, const std::vector<int>& axes, bool keepdims) {
  return prod(without_nan(x, 1.0), axes, keepdims);
}

Tensor nanmax(const Tensor& x, const std::vector<int>& axes, bool keepdims) {
  const Tensor y = reduce_max(without_nan(x, -infinite), axes, keepdims);
  return is_floating(x.dtype()) ? where(all(isnan(x), axes, keepdims), not_a_number, y) : y;
}

Tensor nanmin(const Tensor& x, const std::vector<int>& axes, bool keepdims) {
  const Tensor y = reduce_min(without_nan(x, infinite), axes, keepdims);
  return is_floating(x.dtype()) ? where(all(isnan(x), axes, keepdims), not_a_number, y) : y;
}

Tensor nanmean(const Tensor& x, const std::vector<int>& axes, bool keepdims) {
  if (!is_floating(x.dtype())) return mean(x, axes, keepdims);
  const Tensor count = sum(cast(logical_not(isnan(x)), x.dtype()), axes, keepdims);
  return nansum(x, axes, keepdims) / count;
}

Tensor nanvar(const Tensor& given, const std::vector<int>& axes, bool keepdims) {
  const Tensor x = to_floating(given);
  const Tensor is_number = logical_not(isnan(x));
  const Tensor centered = where(is_number, x - nanmean(x, axes, true), zeros_like(x));
  return sum(square(centered), axes, keepdims) / sum(cast(is_number, x.dtype()), axes, keepdims);
}

Tensor nanstd(const Tensor& x, const std::vector<int>& axes, bool keepdims) { return sqrt(nanvar(x, axes, keepdims)); }

Tensor nanquantile(const Tensor& given, const std::vector<double>& q, const std::vector<int>& axes,
                   QuantileMethod method, bool keepdims) {
  require_quantiles(q);
  const auto [sorted, kept] = sorted_elements(to_floating(given), axes, OfNothing::nan);
  const Tensor count = sum(cast(logical_not(isnan(sorted)), DType::int32), {-1}, true);
  const Tensor last = maximum(cast(count, DType::float64) - 1.0, 0.0);
  const Shape others = sorted.shape().slice(0, sorted.rank() - 1);
  std::vector<Tensor> results;
  for (const double part : q) {
    results.push_back(reshape(quantile_up_to(sorted, last, part, method), keepdims ? kept : others));
  }
  return stack(results);
}

Tensor nanquantile(const Tensor& x, double q, const std::vector<int>& axes, QuantileMethod method, bool keepdims) {
  const Tensor one = nanquantile(x, std::vector<double>{q}, axes, method, keepdims);
  return reshape(one, one.shape().slice(1, one.rank()));
}

Tensor nanpercentile(const Tensor& x, double q, const std::vector<int>& axes, QuantileMethod method, bool keepdims) {
  return nanquantile(x, q / 100.0, axes, method, keepdims);
}

Tensor nanmedian(const Tensor& x, const std::vector<int>& axes, bool keepdims) {
  return nanquantile(x, 0.5, axes, QuantileMethod::linear, keepdims);
}

static std::vector<int> axes_of(std::optional<int> axis) { return axis ? std::vector<int>{*axis} : std::vector<int>(); }

Tensor nanargmax(const Tensor& x, std::optional<int> axis) {
  const Tensor y = argmax(without_nan(x, -infinite), axis);
  return is_floating(x.dtype()) ? where(all(isnan(x), axes_of(axis)), -1, y) : y;
}

Tensor nanargmin(const Tensor& x, std::optional<int> axis) {
  const Tensor y = argmin(without_nan(x, infinite), axis);
  return is_floating(x.dtype()) ? where(all(isnan(x), axes_of(axis)), -1, y) : y;
}

// --- Sets and polynomials

Tensor isin(const Tensor& x1, const Tensor& x2, bool invert) {
  const Tensor found = any(equal(expand_dims(x1, -1), reshape(x2, {-1})), {-1});
  return invert ? logical_not(found) : found;
}

Tensor vander(const Tensor& x, std::optional<std::int64_t> columns, bool increasing) {
  if (x.rank() != 1) {
    throw ValueError("Input array must be 1-dimensional. Received: x.shape=" + x.shape().to_string());
  }
  const Tensor numbers = bool_to_int32(x);
  const Tensor exponents = cast(range(columns.value_or(x.size()), DType::int64), numbers.dtype());
  return cast(power(expand_dims(numbers, 1), increasing ? exponents : reverse(exponents, {0})), x.dtype());
}

}  // namespace ops
}  // namespace rhyton
