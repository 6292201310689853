#include <rhyton/framework/ops/counting.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <numeric>
#include <span>
#include <string>
#include <type_traits>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/broadcasting.h>
#include <rhyton/framework/ops/category_counts.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/gather.h>
#include <rhyton/framework/ops/rearranging.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/sequences.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/framework/ops/sorting.h>
#include <rhyton/framework/tensor/checked_arithmetic.h>
#include <rhyton/framework/tensor/result_type.h>
#include <rhyton/framework/tensor/visit_dtype.h>

namespace rhyton {
inline namespace ops {
namespace {

using Places = std::vector<std::int64_t>;

void require_values(const std::string& function, const Tensor& x) {
  if (x.is_concrete()) return;
  throw ValueError("The shape of the result of `" + function +
                   "` depends on the values of `x`, which are not known inside of a graph: it must be called eagerly.");
}

Tensor positions_tensor(const Places& places) {
  return cast(Tensor::from_data({static_cast<std::int64_t>(places.size())}, places), DType::int32);
}

/// The dtype in which weights are summed.
DType summed_dtype(DType dtype) {
  if (is_integer(dtype) && is_short(dtype)) return DType::int32;
  const bool is_summed = !is_half(dtype) && dtype != DType::bool_;
  return is_summed ? dtype : DType::float32;
}

/// The numbers of equal rows, in the order of `unique`.
struct Groups {
  /// For each group the number of its first row, and how many it has.
  Places firsts;
  Places counts;
  /// For each row the number of its group.
  Places group_of;
};

/// Whether a comes before b; NaN is the last.
template <class T>
bool is_before(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a) || std::isnan(b)) return !std::isnan(a) && std::isnan(b);
  }
  return a < b;
}

template <class T>
Groups groups_of(const T* elements, std::int64_t rows, std::int64_t columns, bool sorted) {
  const auto row_of = [&](std::int64_t row) {
    return std::span<const T>(elements + row * columns, static_cast<std::size_t>(columns));
  };
  Places order(static_cast<std::size_t>(rows));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
    const auto x = row_of(a);
    const auto y = row_of(b);
    return std::lexicographical_compare(x.begin(), x.end(), y.begin(), y.end(), is_before<T>);
  });
  // Each begins with its first row, as the order is stable.
  std::vector<Places> groups;
  for (const std::int64_t row : order) {
    const bool is_known =
        !groups.empty() && std::ranges::equal(row_of(groups.back().front()), row_of(row), std::equal_to<T>());
    if (!is_known) groups.emplace_back();
    groups.back().push_back(row);
  }
  if (!sorted) {
    std::sort(groups.begin(), groups.end(), [](const Places& a, const Places& b) { return a.front() < b.front(); });
  }
  Groups result{{}, {}, Places(static_cast<std::size_t>(rows))};
  for (std::size_t i = 0; i < groups.size(); ++i) {
    result.firsts.push_back(groups[i].front());
    result.counts.push_back(static_cast<std::int64_t>(groups[i].size()));
    for (const std::int64_t row : groups[i])
      result.group_of[static_cast<std::size_t>(row)] = static_cast<std::int64_t>(i);
  }
  return result;
}

/// The groups of the rows of x [rows, columns].
Groups equal_rows(const Tensor& x, bool sorted) {
  // Half types have no numbers of their own to compare.
  const Tensor numbers = is_half(x.dtype()) ? cast(x, DType::float32) : x;
  return visit_dtype(numbers.dtype(), [&]<class T>(std::type_identity<T>) {
    if constexpr (std::is_arithmetic_v<T>) {
      return groups_of<T>(numbers.data<T>(), x.shape()[0], x.shape()[1], sorted);
    } else {
      return Groups();
    }
  });
}

}  // namespace

Tensor bincount(const Tensor& x, const Tensor& weights, std::int64_t minlength) {
  require_values("bincount", x);
  if (x.rank() < 1 || x.rank() > 2) {
    throw InvalidArgumentError("Shape must be at most rank 2 but is rank " + std::to_string(x.rank()) +
                               " [Op:DenseBincount]");
  }
  const Tensor categories = x.dtype() == DType::int64 ? x : cast(x, DType::int32);
  const Tensor wide = cast(categories, DType::int64);
  const auto numbers = wide.elements<std::int64_t>();
  const std::int64_t largest = numbers.empty() ? -1 : *std::max_element(numbers.begin(), numbers.end());
  const std::int64_t depth = std::max({std::int64_t{0}, minlength, checked_add(largest, std::int64_t{1})});
  if (weights.is_empty()) return category_counts(categories, depth, DType::int32);
  const DType dtype = result_type(x.dtype(), weights.dtype());
  return cast(weighted_category_counts(categories, cast(weights, summed_dtype(weights.dtype())), depth), dtype);
}

std::pair<Tensor, Tensor> histogram(const Tensor& x, std::int64_t bins,
                                    const std::optional<std::pair<double, double>>& range) {
  if (bins < 0) {
    throw ValueError("Argument `bins` should be a non-negative integer. Received: bins=" + std::to_string(bins));
  }
  if (range && range->second < range->first) {
    throw ValueError("The second element of `range` must be greater than the first. Received: range=(" +
                     std::to_string(range->first) + ", " + std::to_string(range->second) + ")");
  }
  if (x.rank() != 1) {
    throw ValueError("Input tensor must be 1-dimensional. Received: input.shape=" + x.shape().to_string());
  }
  const DType dtype = x.dtype();
  const DType computed = is_floating(dtype) ? dtype : DType::float64;
  const Tensor numbers = stop_gradient(cast(x, computed));
  const Tensor lowest = range ? Tensor::full({}, range->first, computed) : min(numbers);
  const Tensor highest = range ? Tensor::full({}, range->second, computed) : max(numbers);
  const Tensor edges = cast(linspace(lowest, highest, {.num = bins + 1, .dtype = computed}), dtype);
  const Tensor inner = slice_axis(edges, 0, 1, std::max<std::int64_t>(bins, 1));
  const Tensor is_inside = logical_and(greater_equal(numbers, lowest), less_equal(numbers, highest));
  const Tensor interval = where(is_inside, searchsorted(inner, x, SearchSide::right), -1);
  const Tensor counts =
      category_counts(interval, bins, DType::int32, CategoryCounting::occurrences, NegativeCategories::ignored);
  return {cast(counts, dtype), edges};
}

std::vector<Tensor> nonzero(const Tensor& x) {
  require_values("nonzero", x);
  const Tensor flags = cast(x, DType::bool_);
  const auto are_there = flags.elements<bool>();
  std::vector<Places> places(static_cast<std::size_t>(x.rank()));
  for (std::size_t i = 0; i < are_there.size(); ++i) {
    if (!are_there[i]) continue;
    auto rest = static_cast<std::int64_t>(i);
    for (int axis = x.rank() - 1; axis >= 0; --axis) {
      places[static_cast<std::size_t>(axis)].push_back(rest % x.shape()[axis]);
      rest /= x.shape()[axis];
    }
  }
  std::vector<Tensor> result;
  for (const Places& of_axis : places) result.push_back(positions_tensor(of_axis));
  return result;
}

Unique unique(const Tensor& x, const UniqueOptions& options) {
  require_values("unique", x);
  const Tensor whole = options.axis ? x : reshape(x, {-1});
  const int axis = normalize_axis(options.axis.value_or(0), whole.rank());
  const std::int64_t length = whole.shape()[axis];
  const std::int64_t columns = length == 0 ? 0 : whole.size() / length;
  const Tensor rows = reshape(axis == 0 ? whole : swapaxes(whole, 0, axis), {length, columns});
  const Groups groups = equal_rows(rows, options.sorted);

  const Tensor inverse = positions_tensor(groups.group_of);
  Unique result{gather(whole, positions_tensor(groups.firsts), axis), positions_tensor(groups.firsts),
                options.axis ? inverse : reshape(inverse, x.shape()), positions_tensor(groups.counts)};
  if (!options.size) return result;
  const auto found = static_cast<std::int64_t>(groups.firsts.size());
  const std::int64_t kept = std::min(found, *options.size);
  const std::int64_t missing = *options.size - kept;
  std::vector<std::pair<std::int64_t, std::int64_t>> border(static_cast<std::size_t>(whole.rank()));
  border[static_cast<std::size_t>(axis)].second = missing;
  result.values = pad(slice_axis(result.values, axis, 0, kept), border, options.fill_value.as_double());
  result.indices = pad(slice_axis(result.indices, 0, 0, kept), {{0, missing}}, 1.0);
  result.counts = pad(slice_axis(result.counts, 0, 0, kept), {{0, missing}});
  return result;
}

}  // namespace ops
}  // namespace rhyton
