#pragma once

#include <rhyton/framework/tensor/variable.h>

namespace rhyton {

/// The value of a variable, seen by whoever listens; what `Variable::value` does.
Tensor read_variable(const Variable& variable);

/// Sets a variable, seen by whoever listens. `value` has the variable's spec; what `Variable::assign` does after its
/// checks.
void assign_variable(const Variable& variable, const Tensor& value);

}  // namespace rhyton
