#include <rhyton/layers/operations/control_flow.h>

#include <cstddef>

#include <rhyton/framework/ops/control_flow.h>
#include <rhyton/layers/operations/function_operation.h>

namespace rhyton {
inline namespace ops {
namespace {

using layers::call_function_operation;
using layers::SymbolicTensor;
using Tensors = std::vector<Tensor>;
using Symbols = std::vector<SymbolicTensor>;

Symbols with_first(const SymbolicTensor& first, const Symbols& others) {
  Symbols all{first};
  all.insert(all.end(), others.begin(), others.end());
  return all;
}

Tensors without_first(const Tensors& all) { return {all.begin() + 1, all.end()}; }

}  // namespace

SymbolicTensor cond(const SymbolicTensor& pred, const std::function<Tensor()>& true_fn,
                    const std::function<Tensor()>& false_fn) {
  return call_function_operation("Cond", [=](const Tensors& x) { return Tensors{cond(x.at(0), true_fn, false_fn)}; },
                                 {pred})
      .at(0);
}

SymbolicTensor switch_(const SymbolicTensor& index, const std::vector<std::function<Tensor(const Tensors&)>>& branches,
                       const Symbols& operands) {
  const auto function = [=](const Tensors& x) { return Tensors{switch_(x.at(0), branches, without_first(x))}; };
  return call_function_operation("Switch", function, with_first(index, operands)).at(0);
}

Symbols switch_(const SymbolicTensor& index, const std::vector<std::function<Tensors(const Tensors&)>>& branches,
                const Symbols& operands) {
  const auto function = [=](const Tensors& x) { return switch_(x.at(0), branches, without_first(x)); };
  return call_function_operation("Switch", function, with_first(index, operands));
}

SymbolicTensor while_loop(const std::function<Tensor(const Tensor&)>& cond,
                          const std::function<Tensor(const Tensor&)>& body, const SymbolicTensor& loop_var,
                          std::optional<std::int64_t> maximum_iterations) {
  const auto function = [=](const Tensors& x) { return Tensors{while_loop(cond, body, x.at(0), maximum_iterations)}; };
  return call_function_operation("WhileLoop", function, {loop_var}).at(0);
}

Symbols while_loop(const std::function<Tensor(const Tensors&)>& cond,
                   const std::function<Tensors(const Tensors&)>& body, const Symbols& loop_vars,
                   std::optional<std::int64_t> maximum_iterations) {
  return call_function_operation(
      "WhileLoop", [=](const Tensors& x) { return while_loop(cond, body, x, maximum_iterations); }, loop_vars);
}

SymbolicTensor fori_loop(std::int64_t lower, std::int64_t upper,
                         const std::function<Tensor(const Tensor&, const Tensor&)>& body_fun,
                         const SymbolicTensor& init_val) {
  const auto function = [=](const Tensors& x) { return Tensors{fori_loop(lower, upper, body_fun, x.at(0))}; };
  return call_function_operation("ForiLoop", function, {init_val}).at(0);
}

Symbols fori_loop(std::int64_t lower, std::int64_t upper,
                  const std::function<Tensors(const Tensor&, const Tensors&)>& body_fun, const Symbols& init_val) {
  return call_function_operation(
      "ForiLoop", [=](const Tensors& x) { return fori_loop(lower, upper, body_fun, x); }, init_val);
}

std::pair<SymbolicTensor, SymbolicTensor> scan(
    const std::function<std::pair<Tensor, Tensor>(const Tensor&, const Tensor&)>& f, const layers::Argument& init,
    const SymbolicTensor& xs, const ScanOptions& options) {
  const auto of_lists = [=](const Tensors& carry, const Tensors& x) {
    const auto [next, y] = f(carry.at(0), x.at(0));
    return std::pair(Tensors{next}, Tensors{y});
  };
  const auto [carry, ys] = scan(of_lists, std::vector<layers::Argument>{init}, Symbols{xs}, options);
  return {carry.at(0), ys.at(0)};
}

std::pair<Symbols, Symbols> scan(
    const std::function<std::pair<Tensors, Tensors>(const Tensors& carry, const Tensors& x)>& f,
    const std::vector<layers::Argument>& init, const Symbols& xs, const ScanOptions& options) {
  // The inputs are xs and then what is symbolic of `init`.
  Symbols inputs = xs;
  for (const layers::Argument& carry : init) {
    if (carry.is_symbolic()) inputs.push_back(carry.symbolic());
  }
  const auto function = [=, rows = xs.size()](const Tensors& x) {
    const auto middle = x.begin() + static_cast<std::ptrdiff_t>(rows);
    Tensors first;
    auto next = middle;
    for (const layers::Argument& carry : init) first.push_back(carry.is_symbolic() ? *next++ : carry.tensor());
    auto [carry, ys] = scan(f, first, Tensors(x.begin(), middle), options);
    carry.insert(carry.end(), ys.begin(), ys.end());
    return carry;
  };
  const Symbols results = call_function_operation("Scan", function, inputs);
  const auto end = results.begin() + static_cast<std::ptrdiff_t>(init.size());
  return {{results.begin(), end}, {end, results.end()}};
}

SymbolicTensor map(const std::function<Tensor(const Tensor&)>& f, const SymbolicTensor& xs) {
  return call_function_operation("Map", [=](const Tensors& x) { return Tensors{map(f, x.at(0))}; }, {xs}).at(0);
}

Symbols map(const std::function<Tensors(const Tensors&)>& f, const Symbols& xs) {
  return call_function_operation(
      "Map", [=](const Tensors& x) { return map(f, x); }, xs);
}

SymbolicTensor vectorized_map(const std::function<Tensor(const Tensor&)>& function, const SymbolicTensor& elements) {
  return call_function_operation(
             "VectorizedMap", [=](const Tensors& x) { return Tensors{vectorized_map(function, x.at(0))}; }, {elements})
      .at(0);
}

Symbols vectorized_map(const std::function<Tensors(const Tensors&)>& function, const Symbols& elements) {
  return call_function_operation(
      "VectorizedMap", [=](const Tensors& x) { return vectorized_map(function, x); }, elements);
}

SymbolicTensor associative_scan(const std::function<Tensor(const Tensor&, const Tensor&)>& f,
                                const SymbolicTensor& elems, bool reverse, int axis) {
  const auto function = [=](const Tensors& x) { return Tensors{associative_scan(f, x.at(0), reverse, axis)}; };
  return call_function_operation("AssociativeScan", function, {elems}).at(0);
}

Symbols associative_scan(const std::function<Tensors(const Tensors&, const Tensors&)>& f, const Symbols& elems,
                         bool reverse, int axis) {
  return call_function_operation(
      "AssociativeScan", [=](const Tensors& x) { return associative_scan(f, x, reverse, axis); }, elems);
}

}  // namespace ops
}  // namespace rhyton
