#pragma once

#include <rhyton/framework/tensor/tensor.h>

namespace rhyton {

/// Throws ValueError in NumPy's words unless the tensor has one element, as a condition must.
void require_one_element(const Tensor& tensor);

}  // namespace rhyton
