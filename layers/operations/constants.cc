#include <rhyton/layers/operations/constants.h>

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
  if (!are_integers) {
    std::vector<double> values;
    for (const Scalar& number : numbers) values.push_back(number.as_double());
    return cast(Tensor::from_data<double>(shape, values), default_floating_dtype());
  }
  std::vector<std::int64_t> values;
  for (const Scalar& number : numbers) {
    if (!std::in_range<std::int32_t>(number.as_integer())) {
      throw ValueError("An integer of a constant is out of range of int32. Received: " + argument.to_string());
    }
    values.push_back(number.as_integer());
  }
  return cast(Tensor::from_data<std::int64_t>(shape, values), are_bool ? DType::bool_ : DType::int32);
}

}  // namespace rhyton::layers
