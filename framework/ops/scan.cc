#include <rhyton/framework/ops/scan.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <tuple>

#include <fmt/format.h>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/listeners.h>
#include <rhyton/framework/ops/shaping.h>

namespace rhyton {
inline namespace ops {
namespace {

using Tensors = std::vector<Tensor>;
using Step = std::function<std::pair<Tensors, Tensors>(const Tensors&, const Tensors&)>;

/// The rows of each tensor.
std::vector<Tensors> rows_of(const Tensors& xs) {
  std::vector<Tensors> rows;
  for (const Tensor& x : xs) rows.push_back(x.shape()[0] > 0 ? unstack(x) : Tensors());
  return rows;
}

Tensors row_of(const std::vector<Tensors>& rows, std::int64_t index) {
  Tensors row;
  for (const Tensors& of_one : rows) row.push_back(of_one[static_cast<std::size_t>(index)]);
  return row;
}

void require_unroll(const std::variant<bool, int>& unroll) {
  const int* const number = std::get_if<int>(&unroll);
  if (number == nullptr || *number >= 1) return;
  throw ValueError(fmt::format("`unroll` must be an positive integer or boolean. Received: unroll={}", *number));
}

/// The number of steps.
std::int64_t steps_of(const Tensors& xs, const std::optional<std::int64_t>& length) {
  if (xs.empty()) {
    if (!length) throw ValueError("Got no `xs` to scan over and `length` not provided.");
    if (*length < 0) throw ValueError(fmt::format("`length` must not be negative. Received: length={}", *length));
    return *length;
  }
  for (const Tensor& x : xs) {
    if (x.rank() > 0) continue;
    throw ValueError("scan got value with no leading axis to scan over: a tensor of shape ().");
  }
  const std::int64_t steps = xs.front().shape()[0];
  for (const Tensor& x : xs) {
    if (x.shape()[0] == steps) continue;
    throw ValueError(fmt::format("scan got values with different leading axis sizes: {} and {}.", steps, x.shape()[0]));
  }
  if (length && *length != steps) {
    throw ValueError(
        fmt::format("scan got `length` argument of {} which disagrees with leading axis sizes {}.", *length, steps));
  }
  return steps;
}

void require_like_init(const Tensors& carry, const Tensors& init) {
  if (carry.size() != init.size()) {
    throw ValueError(fmt::format("The carry that `f` of scan returns must have {} tensors, as `init`. Received: {}",
                                 init.size(), carry.size()));
  }
  for (std::size_t i = 0; i < carry.size(); ++i) {
    if (carry[i].spec() == init[i].spec()) continue;
    throw ValueError(fmt::format(
        "The carry that `f` of scan returns must have the shape and dtype of `init`: tensor {} has shape {} and dtype "
        "{}, expected shape {} and dtype {}.",
        i, carry[i].shape().to_string(), name_of(carry[i].dtype()), init[i].shape().to_string(),
        name_of(init[i].dtype())));
  }
}

/// The ys of all steps of `function`, by tensor, stacked.
Tensors stacked(const std::vector<Tensors>& ys, std::string_view function) {
  for (const Tensors& y : ys) {
    if (y.size() == ys.front().size()) continue;
    throw ValueError(fmt::format("`f` of {} returned {} outputs in one step and {} in another.", function,
                                 ys.front().size(), y.size()));
  }
  Tensors result;
  for (std::size_t i = 0; i < ys.front().size(); ++i) {
    Tensors rows;
    for (const Tensors& y : ys) rows.push_back(y[i]);
    result.push_back(stack(rows));
  }
  return result;
}

/// Tensors without rows of what `f` returns for rows of `xs`.
template <class Function>
Tensors without_rows(const Tensors& xs, const Tensors& init, Function f) {
  ShapeInferenceScope scope;
  const auto placeholder = [&](const Tensor& tensor, int first_axis) {
    return scope.placeholder({tensor.shape().slice(first_axis, tensor.rank()), tensor.dtype()});
  };
  Tensors row;
  Tensors carry;
  for (const Tensor& x : xs) row.push_back(placeholder(x, 1));
  for (const Tensor& tensor : init) carry.push_back(placeholder(tensor, 0));
  Tensors result;
  for (const Tensor& y : f(carry, row)) {
    result.push_back(Tensor::zeros(Shape({0}).concatenate(y.shape()), y.dtype()));
  }
  return result;
}

}  // namespace

std::pair<Tensors, Tensors> scan(const Step& f, const Tensors& init, const Tensors& xs, const ScanOptions& options) {
  require_unroll(options.unroll);
  const std::int64_t steps = steps_of(xs, options.length);
  if (steps == 0) {
    return {init, without_rows(xs, init, [&](const Tensors& carry, const Tensors& x) { return f(carry, x).second; })};
  }
  const std::vector<Tensors> rows = rows_of(xs);
  Tensors carry = init;
  std::vector<Tensors> ys(static_cast<std::size_t>(steps));
  for (std::int64_t step = 0; step < steps; ++step) {
    const std::int64_t row = options.reverse ? steps - 1 - step : step;
    std::tie(carry, ys[static_cast<std::size_t>(row)]) = f(carry, row_of(rows, row));
    require_like_init(carry, init);
  }
  return {carry, stacked(ys, "scan")};
}

std::pair<Tensor, Tensor> scan(const std::function<std::pair<Tensor, Tensor>(const Tensor&, const Tensor&)>& f,
                               const Tensor& init, const Tensor& xs, const ScanOptions& options) {
  const Step step = [&](const Tensors& carry, const Tensors& x) {
    auto [next, y] = f(carry.front(), x.empty() ? Tensor() : x.front());
    return std::pair(Tensors{next}, y.is_empty() ? Tensors() : Tensors{y});
  };
  const auto [carry, ys] = scan(step, Tensors{init}, xs.is_empty() ? Tensors() : Tensors{xs}, options);
  return {carry.front(), ys.empty() ? Tensor() : ys.front()};
}

Tensors map(const std::function<Tensors(const Tensors&)>& f, const Tensors& xs) {
  if (xs.empty()) throw ValueError("`map` requires at least one tensor.");
  for (const Tensor& x : xs) {
    if (x.rank() == 0) throw InvalidArgumentError("Attempting to slice scalar input.");
  }
  const std::int64_t length = xs.front().shape()[0];
  for (const Tensor& x : xs) {
    if (x.shape()[0] == length) continue;
    throw ValueError(fmt::format("Dimensions {} and {} are not compatible", length, x.shape()[0]));
  }
  if (length == 0) return without_rows(xs, {}, [&](const Tensors&, const Tensors& x) { return f(x); });
  const std::vector<Tensors> rows = rows_of(xs);
  std::vector<Tensors> ys;
  for (std::int64_t row = 0; row < length; ++row) ys.push_back(f(row_of(rows, row)));
  return stacked(ys, "map");
}

Tensor map(const std::function<Tensor(const Tensor&)>& f, const Tensor& xs) {
  const std::function<Tensors(const Tensors&)> of_lists = [&](const Tensors& x) { return Tensors{f(x.front())}; };
  return map(of_lists, Tensors{xs}).front();
}

Tensors vectorized_map(const std::function<Tensors(const Tensors&)>& function, const Tensors& elements) {
  return map(function, elements);
}

Tensor vectorized_map(const std::function<Tensor(const Tensor&)>& function, const Tensor& elements) {
  return map(function, elements);
}

}  // namespace ops
}  // namespace rhyton
