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

}  // namespace

void throw_not_rectangular() { throw ValueError("Can't convert a non-rectangular list to a tensor."); }

inline namespace ops {

Tensor convert_to_tensor(std::initializer_list<NestedList> list, std::optional<DType> dtype) {
  const Elements elements(list);
  return Tensor::from_numbers(elements.shape, elements.numbers, dtype ? *dtype : dtype_for(elements.numbers));
}

Tensor convert_to_tensor(const Scalar& number, std::optional<DType> dtype) {
  return Tensor::full({}, number, dtype ? *dtype : dtype_for({number}));
}

Tensor convert_to_tensor(const Tensor& x, std::optional<DType> dtype) { return dtype ? cast(x, *dtype) : x; }

}  // namespace ops
}  // namespace rhyton
