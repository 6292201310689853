#pragma once

#include <vector>

#include <rhyton/layers/operations/operation.h>

// The tables of operations. `all_operations` joins them.

namespace rhyton::layers {

/// Arithmetic, comparisons and indexing: what operators of symbolic tensors become.
std::vector<Operation> arithmetic_operations();

}  // namespace rhyton::layers
