#include <rhyton/layers/operations/constants.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/tensor/result_type.h>

namespace rhyton::layers {
namespace {

/// The numbers of nested lists of one shape, whose part with the axes from `axis` on is `argument`.
void collect_numbers(const Argument& argument, const Shape& shape, int axis, std::vector<Scalar>& numbers) {
  if (axis == shape.rank()) {
    numbers.push_back(argument.number());
    return;
  }
  if (!argument.is_list() || static_cast<std::int64_t>(argument.list().size()) != shape[axis]) {
    throw ValueError("The lists of a constant differ in length: " + argument.to_string());
  }
  for (const Argument& entry : argument.list()) collect_numbers(entry, shape, axis + 1, numbers);
}

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
  Shape shape;
  for (const Argument* part = &argument; part->is_list(); part = &part->list().front()) {
    if (shape.rank() == Shape::max_rank) throw ValueError("A constant has too many axes.");
    shape.push_back(static_cast<std::int64_t>(part->list().size()));
    if (part->list().empty()) break;
  }
  std::vector<Scalar> numbers;
  collect_numbers(argument, shape, 0, numbers);
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
