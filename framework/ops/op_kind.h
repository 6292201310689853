#pragma once

#include <rhyton/framework/ops/op.h>

namespace rhyton {

// Which op it is, for ops whose classes are private to a source file. Names of ops only select kernels: an op that a
// program defines may have any name. For the other classes use `graph::is_a`, `op_cast` and `dynamic_cast`.

bool is_add(const Op& op);
bool is_multiply(const Op& op);
bool is_relu(const Op& op);
bool is_relu_gradient(const Op& op);
bool is_sum(const Op& op);
bool is_broadcast_to(const Op& op);
bool is_broadcast_like(const Op& op);

}  // namespace rhyton
