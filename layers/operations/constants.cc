#include <rhyton/layers/operations/constants.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/tensor/result_type.h>
#include <rhyton/layers/nested_numbers.h>

namespace rhyton::layers {
namespace {

template <class T>
std::vector<T> values_of(const std::vector<Scalar>& numbers) {
  std::vector<T> values;
  for (const Scalar& number : numbers) {
    values.push_back(number.is_floating() ? static_cast<T>(number.as_double()) : static_cast<T>(number.as_integer()));
  }
  return values;
}

}  // namespace

Tensor constant_of(const Argument& argument) {
  if (argument.is_tensor()) return argument.tensor();
  const auto [shape, numbers] = nested_numbers(argument);
  bool are_bool = !numbers.empty();
  bool are_integers = !numbers.empty();
  for (const Scalar& number : numbers) {
    are_bool = are_bool && number.is_bool();
    are_integers = are_integers && !number.is_floating();
  }
  // Numbers of the usual dtypes need no conversion, which a graph would repeat.
  if (!are_integers) {
    if (default_floating_dtype() == DType::float32) return Tensor::from_data(shape, values_of<float>(numbers));
    return cast(Tensor::from_data(shape, values_of<double>(numbers)), default_floating_dtype());
  }
  const bool are_in_range = std::all_of(numbers.begin(), numbers.end(), [](const Scalar& number) {
    return std::in_range<std::int32_t>(number.as_integer());
  });
  if (!are_in_range) throw ValueError("An integer is out of range of int32. Received: " + argument.to_string());
  const Tensor integers = Tensor::from_data(shape, values_of<std::int32_t>(numbers));
  return are_bool ? cast(integers, DType::bool_) : integers;
}

}  // namespace rhyton::layers
