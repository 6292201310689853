#pragma once

#include <rhyton/framework/tensor/variable.h>

namespace rhyton {

/// The value of a variable, as the listeners return it; implements `Variable::value`.
Tensor read_variable(const Variable& variable);

/// Sets a variable through the listeners. `value` has the variable's spec; implements `Variable::assign` after its
/// checks.
void assign_variable(const Variable& variable, const Tensor& value);

}  // namespace rhyton
