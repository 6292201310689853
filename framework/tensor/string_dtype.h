#pragma once

#include <cstdint>
#include <limits>

#include <rhyton/framework/tensor/dtype.h>

namespace rhyton {

/// The dtype of a tensor of strings, "string": a `StringTensor` in a `Tensor` handle. It is no enumerator, so that code
/// on numbers has no case for it: such a tensor has no storage, and ops refuse it.
inline constexpr DType string_dtype = static_cast<DType>(std::numeric_limits<std::uint8_t>::max());

/// Throws TypeError for the dtype of strings: `what` is what takes numbers, "A kernel".
void require_numeric(DType dtype, const char* what);

}  // namespace rhyton
