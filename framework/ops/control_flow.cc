#include <rhyton/framework/ops/control_flow.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>

#include <fmt/format.h>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/listeners.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/framework/ops/traced_control_flow.h>
#include <rhyton/framework/tensor/truth_value.h>

namespace rhyton {

void require_as_many_as_loop_vars(std::size_t returned, std::size_t loop_vars) {
  if (returned == loop_vars) return;
  throw ValueError(
      fmt::format("The two structures don't have the same number of elements: `loop_vars` has {} tensors, `body` of "
                  "`while_loop` returned {}.",
                  loop_vars, returned));
}

inline namespace ops {
namespace {

using Tensors = std::vector<Tensor>;
using Branch = std::function<Tensors(const Tensors&)>;

/// A function of one tensor as a function of lists.
template <class Function>
auto of_lists(const Function& function) {
  return [&function](const Tensors& tensors) { return Tensors{function(tensors.front())}; };
}

/// A branch with one result as one with a list.
std::vector<Branch> with_lists(const std::vector<std::function<Tensor(const Tensors&)>>& branches) {
  std::vector<Branch> result;
  for (const auto& branch : branches) {
    result.emplace_back([&branch](const Tensors& operands) { return Tensors{branch(operands)}; });
  }
  return result;
}

void require_branches(std::size_t count) {
  if (count == 0) throw ValueError("Must provide at least one item in 'branch_fns'");
}

Tensors run_loop(const std::function<Tensor(const Tensors&)>& cond, const Branch& body, Tensors variables,
                 std::optional<std::int64_t> maximum_iterations) {
  for (std::int64_t i = 0; !maximum_iterations || i < *maximum_iterations; ++i) {
    if (!static_cast<bool>(cond(variables))) break;
    Tensors next = body(variables);
    require_as_many_as_loop_vars(next.size(), variables.size());
    variables = std::move(next);
  }
  return variables;
}

}  // namespace

Tensors cond(const Tensor& pred, const std::function<Tensors()>& true_fn, const std::function<Tensors()>& false_fn) {
  if (pred.is_concrete()) return static_cast<bool>(pred) ? true_fn() : false_fn();
  require_one_element(pred);
  const Tensor index = cast(cast(reshape(pred, Shape()), DType::bool_), DType::int32);
  return traced_case(index, {[&](const Tensors&) { return false_fn(); }, [&](const Tensors&) { return true_fn(); }},
                     {"false_fn", "true_fn"}, {});
}

Tensor cond(const Tensor& pred, const std::function<Tensor()>& true_fn, const std::function<Tensor()>& false_fn) {
  const std::function<Tensors()> if_true = [&] { return Tensors{true_fn()}; };
  const std::function<Tensors()> if_false = [&] { return Tensors{false_fn()}; };
  return cond(pred, if_true, if_false).front();
}

Tensors switch_(const Tensor& index, const std::vector<Branch>& branches, const Tensors& operands) {
  require_branches(branches.size());
  require_one_element(index);
  if (index.is_concrete()) {
    const double number = index.item();
    const auto last = static_cast<double>(branches.size() - 1);
    // NaN is the first branch, too.
    return switch_(number > 0.0 ? static_cast<std::int64_t>(std::min(number, last)) : 0, branches, operands);
  }
  std::vector<std::string> names;
  for (std::size_t i = 0; i < branches.size(); ++i) names.push_back(fmt::format("branches[{}]", i));
  return traced_case(cast(reshape(index, Shape()), DType::int32), branches, names, operands);
}

Tensors switch_(std::int64_t index, const std::vector<Branch>& branches, const Tensors& operands) {
  require_branches(branches.size());
  const auto last = static_cast<std::int64_t>(branches.size()) - 1;
  return branches[static_cast<std::size_t>(std::clamp<std::int64_t>(index, 0, last))](operands);
}

Tensor switch_(const Tensor& index, const std::vector<std::function<Tensor(const Tensors&)>>& branches,
               const Tensors& operands) {
  return switch_(index, with_lists(branches), operands).front();
}

Tensor switch_(std::int64_t index, const std::vector<std::function<Tensor(const Tensors&)>>& branches,
               const Tensors& operands) {
  return switch_(index, with_lists(branches), operands).front();
}

Tensors while_loop(const std::function<Tensor(const Tensors&)>& cond, const Branch& body, const Tensors& loop_vars,
                   std::optional<std::int64_t> maximum_iterations) {
  if (loop_vars.empty()) throw ValueError("'loop_vars' must be provided.");
  if (current_interpreter().executes()) return run_loop(cond, body, loop_vars, maximum_iterations);
  return traced_while(cond, body, loop_vars, maximum_iterations);
}

Tensor while_loop(const std::function<Tensor(const Tensor&)>& cond, const std::function<Tensor(const Tensor&)>& body,
                  const Tensor& loop_var, std::optional<std::int64_t> maximum_iterations) {
  const std::function<Tensor(const Tensors&)> holds = [&](const Tensors& variables) { return cond(variables.front()); };
  const Branch next = of_lists(body);
  return while_loop(holds, next, Tensors{loop_var}, maximum_iterations).front();
}

Tensors fori_loop(std::int64_t lower, std::int64_t upper,
                  const std::function<Tensors(const Tensor&, const Tensors&)>& body_fun, const Tensors& init_val) {
  constexpr std::int64_t largest = std::numeric_limits<std::int32_t>::max();
  if (lower < -largest || upper > largest) {
    throw ValueError(
        fmt::format("The limits of a `fori_loop` must be in the range of int32. Received: lower={}, "
                    "upper={}",
                    lower, upper));
  }
  Tensors values = init_val;
  for (std::int64_t i = lower; i < upper; ++i) {
    values = body_fun(Tensor::scalar(static_cast<std::int32_t>(i)), values);
  }
  return values;
}

Tensor fori_loop(std::int64_t lower, std::int64_t upper,
                 const std::function<Tensor(const Tensor&, const Tensor&)>& body_fun, const Tensor& init_val) {
  const std::function<Tensors(const Tensor&, const Tensors&)> body = [&](const Tensor& i, const Tensors& values) {
    return Tensors{body_fun(i, values.front())};
  };
  return fori_loop(lower, upper, body, Tensors{init_val}).front();
}

Tensors fori_loop(const Tensor& lower, const Tensor& upper,
                  const std::function<Tensors(const Tensor&, const Tensors&)>& body_fun, const Tensors& init_val) {
  require_one_element(lower);
  require_one_element(upper);
  const Tensor last = reshape(upper, Shape());
  Tensors variables{reshape(lower, Shape())};
  variables.insert(variables.end(), init_val.begin(), init_val.end());
  const std::function<Tensor(const Tensors&)> is_below = [&](const Tensors& now) { return now.front() < last; };
  const Branch next = [&](const Tensors& now) {
    Tensors result{now.front() + 1};
    for (Tensor& value : body_fun(now.front(), {now.begin() + 1, now.end()})) result.push_back(std::move(value));
    return result;
  };
  Tensors results = while_loop(is_below, next, variables);
  results.erase(results.begin());
  return results;
}

Tensor fori_loop(const Tensor& lower, const Tensor& upper,
                 const std::function<Tensor(const Tensor&, const Tensor&)>& body_fun, const Tensor& init_val) {
  const std::function<Tensors(const Tensor&, const Tensors&)> body = [&](const Tensor& i, const Tensors& values) {
    return Tensors{body_fun(i, values.front())};
  };
  return fori_loop(lower, upper, body, Tensors{init_val}).front();
}

Tensors fori_loop(std::int64_t lower, const Tensor& upper,
                  const std::function<Tensors(const Tensor&, const Tensors&)>& body_fun, const Tensors& init_val) {
  return fori_loop(Tensor::full(Shape(), lower, upper.dtype()), upper, body_fun, init_val);
}

Tensor fori_loop(std::int64_t lower, const Tensor& upper,
                 const std::function<Tensor(const Tensor&, const Tensor&)>& body_fun, const Tensor& init_val) {
  return fori_loop(Tensor::full(Shape(), lower, upper.dtype()), upper, body_fun, init_val);
}

}  // namespace ops
}  // namespace rhyton
