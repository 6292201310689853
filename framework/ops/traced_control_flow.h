#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <rhyton/framework/tensor/tensor.h>

// Control flow as ops with traced bodies, for `cond`, `switch_` and `while_loop` where values are not known yet.
// Declared here, defined by framework/autodiff, which has graphs and derivatives.

namespace rhyton {

/// Throws ValueError unless the body of a loop returned as many tensors as there are loop variables. For loops on
/// values, too; defined in framework/ops.
void require_as_many_as_loop_vars(std::size_t returned, std::size_t loop_vars);

/// Calls the branch of that number, an int32 scalar: a number that no branch has means the first or the last one.
/// `names` are those of the branches in messages. Throws ValueError for branches whose outputs differ in number, shape
/// or dtype.
std::vector<Tensor> traced_case(
    const Tensor& index, const std::vector<std::function<std::vector<Tensor>(const std::vector<Tensor>&)>>& branches,
    const std::vector<std::string>& names, const std::vector<Tensor>& operands);

/// Repeats the body while the condition holds. Throws as `while_loop`.
std::vector<Tensor> traced_while(const std::function<Tensor(const std::vector<Tensor>&)>& condition,
                                 const std::function<std::vector<Tensor>(const std::vector<Tensor>&)>& body,
                                 const std::vector<Tensor>& loop_vars, std::optional<std::int64_t> maximum_iterations);

}  // namespace rhyton
