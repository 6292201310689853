#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include <rhyton/framework/tensor/scalar.h>
#include <rhyton/framework/tensor/tensor.h>

namespace rhyton {

/// Numbers in braces, as Python's lists of numbers: one number, or a list of such elements.
class NestedList {
 public:
  template <class T>
  requires std::is_arithmetic_v<T> NestedList(T number) : number_(number) {}  // NOLINT(google-explicit-constructor)
  NestedList(std::initializer_list<NestedList> list)                          // NOLINT(google-explicit-constructor)
      : list_(list), is_list_(true) {}

  bool is_list() const { return is_list_; }
  /// The elements of a list.
  const std::vector<NestedList>& list() const { return list_; }
  /// The number, if it is no list.
  const Scalar& number() const { return number_; }

 private:
  Scalar number_ = 0;
  std::vector<NestedList> list_;
  bool is_list_ = false;
};

inline namespace ops {

/// The tensor of a list of numbers, or with a further axis each of lists of lists:
///
/// ```
/// convert_to_tensor({1, 2, 3});                        // int32, shape {3}
/// convert_to_tensor({{0.5, 1}, {2, 3}});               // float32, shape {2, 2}
/// convert_to_tensor({1, 0, 1}, DType::bool_);
/// ```
///
/// Without a dtype that of Python's numbers in Keras: `floatx()` for floating-point numbers and for no numbers, int32
/// for integers, or int64 if one needs it, bool for bools. Throws ValueError for lists of different lengths on one
/// level, numbers beside lists, bools beside other numbers unless there is a dtype, and integers out of the range of an
/// integer dtype. (keras.ops.convert_to_tensor, keras.ops.array)
Tensor convert_to_tensor(std::initializer_list<NestedList> list, std::optional<DType> dtype = std::nullopt);
/// The tensor of rank 0 of a number.
Tensor convert_to_tensor(const Scalar& number, std::optional<DType> dtype = std::nullopt);
/// The tensor in that dtype.
Tensor convert_to_tensor(const Tensor& x, std::optional<DType> dtype = std::nullopt);

/// A vector of numbers as a tensor [n] of their own dtype, as a NumPy array: float64 for `double`.
template <class T>
requires(std::is_arithmetic_v<T> && !std::same_as<T, bool>) Tensor
    convert_to_tensor(const std::vector<T>& elements, std::optional<DType> dtype = std::nullopt) {
  return convert_to_tensor(Tensor::from_data(Shape{static_cast<std::int64_t>(elements.size())}, elements), dtype);
}
/// Rows of numbers as a tensor [rows, n]. Throws ValueError for rows of different lengths.
template <class T>
requires(std::is_arithmetic_v<T> && !std::same_as<T, bool>) Tensor
    convert_to_tensor(const std::vector<std::vector<T>>& rows, std::optional<DType> dtype = std::nullopt);

}  // namespace ops

/// Throws the ValueError of `convert_to_tensor` for rows of different lengths.
[[noreturn]] void throw_not_rectangular();

template <class T>
requires(std::is_arithmetic_v<T> &&
         !std::same_as<T, bool>) Tensor ops::convert_to_tensor(const std::vector<std::vector<T>>& rows,
                                                               std::optional<DType> dtype) {
  std::vector<T> elements;
  for (const std::vector<T>& row : rows) {
    if (row.size() != rows.front().size()) throw_not_rectangular();
    elements.insert(elements.end(), row.begin(), row.end());
  }
  const auto columns = static_cast<std::int64_t>(rows.empty() ? 0 : rows.front().size());
  return convert_to_tensor(Tensor::from_data(Shape{static_cast<std::int64_t>(rows.size()), columns}, elements), dtype);
}

}  // namespace rhyton
