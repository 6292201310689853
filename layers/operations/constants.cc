#include <rhyton/layers/operations/constants.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include <rhyton/framework/error.h>
#include <rhyton/framework/tensor/result_type.h>
#include <rhyton/layers/nested_numbers.h>

namespace rhyton::layers {

Tensor constant_of(const Argument& argument) {
  if (argument.is_tensor()) return argument.tensor();
  const auto [shape, numbers] = nested_numbers(argument);
  bool are_bool = !numbers.empty();
  bool are_integers = !numbers.empty();
  for (const Scalar& number : numbers) {
    are_bool = are_bool && number.is_bool();
    are_integers = are_integers && !number.is_floating();
  }
  if (!are_integers) return Tensor::from_numbers(shape, numbers, default_floating_dtype());
  const bool are_in_range = std::all_of(numbers.begin(), numbers.end(), [](const Scalar& number) {
    return std::in_range<std::int32_t>(number.as_integer());
  });
  if (!are_in_range) throw ValueError("An integer is out of range of int32. Received: " + argument.to_string());
  return Tensor::from_numbers(shape, numbers, are_bool ? DType::bool_ : DType::int32);
}

}  // namespace rhyton::layers
