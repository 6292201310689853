#pragma once

#include <string>

#include <rhyton/framework/tensor/tensor.h>

namespace rhyton {

/// The elements as numpy prints an array, without shape and dtype: "[[22. 28.]\n [49. 64.]]". At most 8 digits after
/// the point; above 1000 elements only the first and last three along each axis. Throws RuntimeError for a traced or an
/// empty tensor.
std::string elements_to_string(const Tensor& tensor);

}  // namespace rhyton
