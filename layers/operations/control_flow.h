#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include <rhyton/framework/ops/scan.h>
#include <rhyton/framework/tensor/tensor.h>
#include <rhyton/layers/argument.h>
#include <rhyton/layers/symbolic_tensor.h>

// Branches and loops of keras.ops on symbolic tensors: operations of a functional model. Each has the parameters of the
// function of tensors (framework/ops/control_flow.h, framework/ops/scan.h), whose functions get tensors when the model
// runs, and throws as it does. Layers that these functions call are not part of the model, and their weights are not
// trained. A file cannot hold the functions: `save` throws ValueError, `save_weights` works.

namespace rhyton {
inline namespace ops {

/// The result of `true_fn` if `pred` is true, else that of `false_fn`. As in Keras the branches see no symbolic
/// tensors; `switch_` gives its branches operands.
layers::SymbolicTensor cond(const layers::SymbolicTensor& pred, const std::function<Tensor()>& true_fn,
                            const std::function<Tensor()>& false_fn);
/// The result of branch number `index`, called with the operands.
layers::SymbolicTensor switch_(const layers::SymbolicTensor& index,
                               const std::vector<std::function<Tensor(const std::vector<Tensor>&)>>& branches,
                               const std::vector<layers::SymbolicTensor>& operands = {});
std::vector<layers::SymbolicTensor> switch_(
    const layers::SymbolicTensor& index,
    const std::vector<std::function<std::vector<Tensor>(const std::vector<Tensor>&)>>& branches,
    const std::vector<layers::SymbolicTensor>& operands = {});

/// Replaces the loop variables by what `body` returns for them while `cond` holds.
layers::SymbolicTensor while_loop(const std::function<Tensor(const Tensor&)>& cond,
                                  const std::function<Tensor(const Tensor&)>& body,
                                  const layers::SymbolicTensor& loop_var,
                                  std::optional<std::int64_t> maximum_iterations = std::nullopt);
std::vector<layers::SymbolicTensor> while_loop(
    const std::function<Tensor(const std::vector<Tensor>&)>& cond,
    const std::function<std::vector<Tensor>(const std::vector<Tensor>&)>& body,
    const std::vector<layers::SymbolicTensor>& loop_vars,
    std::optional<std::int64_t> maximum_iterations = std::nullopt);
/// Replaces `init_val` by body_fun(i, value) for i = lower, lower + 1, … below `upper`.
layers::SymbolicTensor fori_loop(std::int64_t lower, std::int64_t upper,
                                 const std::function<Tensor(const Tensor& i, const Tensor& value)>& body_fun,
                                 const layers::SymbolicTensor& init_val);
std::vector<layers::SymbolicTensor> fori_loop(
    std::int64_t lower, std::int64_t upper,
    const std::function<std::vector<Tensor>(const Tensor& i, const std::vector<Tensor>& values)>& body_fun,
    const std::vector<layers::SymbolicTensor>& init_val);

/// carry, y = f(carry, x) for the rows x of `xs`: the last carry and the stacked ys. `init` is a symbolic tensor or a
/// tensor.
std::pair<layers::SymbolicTensor, layers::SymbolicTensor> scan(
    const std::function<std::pair<Tensor, Tensor>(const Tensor& carry, const Tensor& x)>& f,
    const layers::Argument& init, const layers::SymbolicTensor& xs, const ScanOptions& options = {});
/// The same for lists; `init` has symbolic tensors, tensors or both.
std::pair<std::vector<layers::SymbolicTensor>, std::vector<layers::SymbolicTensor>> scan(
    const std::function<std::pair<std::vector<Tensor>, std::vector<Tensor>>(const std::vector<Tensor>& carry,
                                                                            const std::vector<Tensor>& x)>& f,
    const std::vector<layers::Argument>& init, const std::vector<layers::SymbolicTensor>& xs,
    const ScanOptions& options = {});
/// f of each row of `xs`, stacked.
layers::SymbolicTensor map(const std::function<Tensor(const Tensor& x)>& f, const layers::SymbolicTensor& xs);
std::vector<layers::SymbolicTensor> map(const std::function<std::vector<Tensor>(const std::vector<Tensor>& x)>& f,
                                        const std::vector<layers::SymbolicTensor>& xs);
layers::SymbolicTensor vectorized_map(const std::function<Tensor(const Tensor& x)>& function,
                                      const layers::SymbolicTensor& elements);
std::vector<layers::SymbolicTensor> vectorized_map(
    const std::function<std::vector<Tensor>(const std::vector<Tensor>& x)>& function,
    const std::vector<layers::SymbolicTensor>& elements);
/// Combines the first k elements along `axis` by `f`, for each k.
layers::SymbolicTensor associative_scan(const std::function<Tensor(const Tensor& a, const Tensor& b)>& f,
                                        const layers::SymbolicTensor& elems, bool reverse = false, int axis = 0);
std::vector<layers::SymbolicTensor> associative_scan(
    const std::function<std::vector<Tensor>(const std::vector<Tensor>& a, const std::vector<Tensor>& b)>& f,
    const std::vector<layers::SymbolicTensor>& elems, bool reverse = false, int axis = 0);

}  // namespace ops
}  // namespace rhyton
