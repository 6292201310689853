#pragma once

#include <typeinfo>

#include <rhyton/framework/ops/op.h>

namespace rhyton {

/// The op as one of exactly that class, else null: `dynamic_cast` in a fraction of the time, for kernels that serve
/// several ops.
template <class O>
const O* op_cast(const Op& op) {
  return typeid(op) == typeid(O) ? static_cast<const O*>(&op) : nullptr;
}

}  // namespace rhyton
