#include <rhyton/framework/ops/convert_to_tensor.h>

#include <algorithm>
#include <string>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/tensor/result_type.h>

namespace rhyton {
namespace {

/// The numbers of nested lists in row-major order.
struct Elements {
  Shape shape;
  std::vector<Scalar> numbers;

  explicit Elements(const std::vector<NestedList>& list) {
    const std::vector<NestedList>* level = &list;
    add_axis(level->size());
    while (!level->empty() && level->front().is_list()) {
      level = &level->front().list();
      add_axis(level->size());
    }
    append(list, 0);
  }

 private:
  void add_axis(std::size_t length) {
    if (shape.rank() == Shape::max_rank) {
      throw ValueError("A tensor has at most " + std::to_string(Shape::max_rank) + " axes. Received: lists of " +
                       std::to_string(Shape::max_rank + 1) + " or more levels");
    }
    shape.push_back(static_cast<std::int64_t>(length));
  }

  void append(const std::vector<NestedList>& list, int axis) {
    if (static_cast<std::int64_t>(list.size()) != shape[axis]) throw_not_rectangular();
    const bool has_lists = axis + 1 < shape.rank();
    for (const NestedList& element : list) {
      if (element.is_list() != has_lists) throw_not_rectangular();
      if (has_lists) {
        append(element.list(), axis + 1);
      } else {
        numbers.push_back(element.number());
      }
    }
  }
};

DType dtype_for(const std::vector<Scalar>& numbers) {
  const auto all = [&](const auto& condition) { return std::all_of(numbers.begin(), numbers.end(), condition); };
  if (numbers.empty()) return default_floating_dtype();
  if (all([](const Scalar& number) { return number.is_bool(); })) return DType::bool_;
  if (!all([](const Scalar& number) { return !number.is_bool(); })) {
    throw ValueError("Can't convert a list of mixed types to a tensor: bools are beside numbers. Pass a `dtype`.");
  }
  if (!all([](const Scalar& number) { return number.is_integer(); })) return default_floating_dtype();
  return all([](const Scalar& number) { return number.fits(DType::int32); }) ? DType::int32 : DType::int64;
}

Tensor tensor_of(const Shape& shape, const std::vector<Scalar>& numbers, DType dtype) {
  if (is_floating(dtype)) {
    std::vector<double> values;
    for (const Scalar& number : numbers) values.push_back(number.as_double());
    return cast(Tensor::from_data(shape, values), dtype);
  }
  std::vector<std::int64_t> values;
  for (const Scalar& number : numbers) {
    if (dtype == DType::bool_) {
      values.push_back(number.as_double() != 0.0 ? 1 : 0);
      continue;
    }
    if (!number.fits(dtype)) {
      const std::string text =
          number.is_floating() ? std::to_string(number.as_double()) : std::to_string(number.as_integer());
      throw ValueError("The number " + text + " is out of range of dtype " + std::string(name_of(dtype)) + ".");
    }
    values.push_back(number.is_floating() ? static_cast<std::int64_t>(number.as_double()) : number.as_integer());
  }
  return cast(Tensor::from_data(shape, values), dtype);
}

}  // namespace

void throw_not_rectangular() { throw ValueError("Can't convert a non-rectangular list to a tensor."); }

inline namespace ops {

Tensor convert_to_tensor(std::initializer_list<NestedList> list, std::optional<DType> dtype) {
  const Elements elements(list);
  return tensor_of(elements.shape, elements.numbers, dtype ? *dtype : dtype_for(elements.numbers));
}

Tensor convert_to_tensor(const Scalar& number, std::optional<DType> dtype) {
  return tensor_of({}, {number}, dtype ? *dtype : dtype_for({number}));
}

Tensor convert_to_tensor(const Tensor& x, std::optional<DType> dtype) { return dtype ? cast(x, *dtype) : x; }

}  // namespace ops
}  // namespace rhyton
