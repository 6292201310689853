#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include <rhyton/framework/tensor/scalar.h>
#include <rhyton/framework/tensor/tensor.h>

// Branches and loops that depend on the values of tensors. Executed eagerly they are branches and loops of C++. In a
// compiled function, where values are not known when it is traced, they are ops: each branch or body is traced once,
// and a run computes the selected branch, or as many iterations as are needed, on the host. Functions may use tensors
// and variables of the code around them. They may assign variables, such as the state of a random generator.
//
// In a compiled function the branches return tensors of equal shapes and dtypes, loop variables keep theirs, and sums
// over replicas within a function throw NotImplementedError. All dtypes. The derivative is that of what was computed.
// Two derivatives of a `while_loop` in a compiled function throw NotImplementedError: the second one without
// `maximum_iterations`, and that with respect to a variable that the body assigns.

namespace rhyton {
inline namespace ops {

// --- Branches

/// The result of `true_fn` if `pred` is true, else that of `false_fn`; only this one is called, except where `pred` is
/// not known yet. `pred` has one element; a number other than 0 is true. Throws ValueError for a `pred` with several
/// elements, and for results that differ in number, shape or dtype in a compiled function. (keras.ops.cond)
///
///     const Tensor y = cond(sum(x) > 0.0, [&] { return x * 2.0; }, [&] { return x; });
Tensor cond(const Tensor& pred, const std::function<Tensor()>& true_fn, const std::function<Tensor()>& false_fn);
std::vector<Tensor> cond(const Tensor& pred, const std::function<std::vector<Tensor>()>& true_fn,
                         const std::function<std::vector<Tensor>()>& false_fn);
/// For a predicate that is known: calls one of the functions. Templates, so that a tensor is never converted.
template <std::same_as<bool> Bool>
Tensor cond(Bool pred, const std::function<Tensor()>& true_fn, const std::function<Tensor()>& false_fn) {
  return pred ? true_fn() : false_fn();
}
template <std::same_as<bool> Bool>
std::vector<Tensor> cond(Bool pred, const std::function<std::vector<Tensor>()>& true_fn,
                         const std::function<std::vector<Tensor>()>& false_fn) {
  return pred ? true_fn() : false_fn();
}

/// The result of branch number `index`, called with the operands. A number below 0 means the first branch, one that is
/// too large the last; fractions are truncated. `index` has one element. Throws ValueError without branches, for an
/// index with several elements, and for results that differ in a compiled function. (keras.ops.switch; `switch` is a
/// keyword of C++.)
///
///     using Branch = std::function<Tensor(const std::vector<Tensor>&)>;
///     const std::vector<Branch> branches{[](const auto& x) { return x[0]; }, [](const auto& x) { return -x[0]; }};
///     const Tensor y = switch_(index, branches, {x});
Tensor switch_(const Tensor& index, const std::vector<std::function<Tensor(const std::vector<Tensor>&)>>& branches,
               const std::vector<Tensor>& operands = {});
std::vector<Tensor> switch_(const Tensor& index,
                            const std::vector<std::function<std::vector<Tensor>(const std::vector<Tensor>&)>>& branches,
                            const std::vector<Tensor>& operands = {});
Tensor switch_(std::int64_t index, const std::vector<std::function<Tensor(const std::vector<Tensor>&)>>& branches,
               const std::vector<Tensor>& operands = {});
std::vector<Tensor> switch_(std::int64_t index,
                            const std::vector<std::function<std::vector<Tensor>(const std::vector<Tensor>&)>>& branches,
                            const std::vector<Tensor>& operands = {});

// --- Loops

/// Replaces the loop variables by what `body` returns for them while `cond` holds, which returns one element, at most
/// `maximum_iterations` times; returns them. Throws ValueError without loop variables, for another number of tensors
/// than loop variables, and in a compiled function for shapes that change; there TypeError for dtypes that change, and
/// NotImplementedError if `cond` assigns variables. (keras.ops.while_loop)
///
///     const Tensor n = while_loop([](const Tensor& i) { return i < 10; }, [](const Tensor& i) { return i + 1; },
///                                 zero);
Tensor while_loop(const std::function<Tensor(const Tensor&)>& cond, const std::function<Tensor(const Tensor&)>& body,
                  const Tensor& loop_var, std::optional<std::int64_t> maximum_iterations = std::nullopt);
std::vector<Tensor> while_loop(const std::function<Tensor(const std::vector<Tensor>&)>& cond,
                               const std::function<std::vector<Tensor>(const std::vector<Tensor>&)>& body,
                               const std::vector<Tensor>& loop_vars,
                               std::optional<std::int64_t> maximum_iterations = std::nullopt);

/// Replaces `init_val` by body_fun(i, value) for i = lower, lower + 1, … below `upper`; i is an int32 scalar. With
/// numbers as limits a compiled function has the ops of all iterations, so that it has all derivatives and the batch is
/// sliced. Throws ValueError for limits beyond int32. (keras.ops.fori_loop)
///
///     const Tensor y = fori_loop(0, 3, [](const Tensor& i, const Tensor& y) { return y * 2.0; }, x);
Tensor fori_loop(std::int64_t lower, std::int64_t upper,
                 const std::function<Tensor(const Tensor& i, const Tensor& value)>& body_fun, const Tensor& init_val);
std::vector<Tensor> fori_loop(
    std::int64_t lower, std::int64_t upper,
    const std::function<std::vector<Tensor>(const Tensor& i, const std::vector<Tensor>& values)>& body_fun,
    const std::vector<Tensor>& init_val);
/// The same for limits that are integer tensors of one element: a `while_loop`. Throws as it does, and ValueError for
/// limits with several elements. i has the dtype of `lower`, or of `upper` if `lower` is a number.
Tensor fori_loop(const Tensor& lower, const Tensor& upper,
                 const std::function<Tensor(const Tensor& i, const Tensor& value)>& body_fun, const Tensor& init_val);
std::vector<Tensor> fori_loop(
    const Tensor& lower, const Tensor& upper,
    const std::function<std::vector<Tensor>(const Tensor& i, const std::vector<Tensor>& values)>& body_fun,
    const std::vector<Tensor>& init_val);
Tensor fori_loop(std::int64_t lower, const Tensor& upper,
                 const std::function<Tensor(const Tensor& i, const Tensor& value)>& body_fun, const Tensor& init_val);
std::vector<Tensor> fori_loop(
    std::int64_t lower, const Tensor& upper,
    const std::function<std::vector<Tensor>(const Tensor& i, const std::vector<Tensor>& values)>& body_fun,
    const std::vector<Tensor>& init_val);

}  // namespace ops
}  // namespace rhyton
