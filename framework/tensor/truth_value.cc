#include <rhyton/framework/tensor/truth_value.h>

#include <rhyton/framework/error.h>

namespace rhyton {

void require_one_element(const Tensor& tensor) {
  if (tensor.size() == 1) return;
  if (tensor.size() == 0) {
    throw ValueError(
        "The truth value of an empty array is ambiguous. Use `a.size() > 0` to check that an array is not empty.");
  }
  throw ValueError("The truth value of an array with more than one element is ambiguous. Use any(a) or all(a)");
}

}  // namespace rhyton
