#pragma once

#include <vector>

#include <rhyton/framework/tensor/scalar.h>
#include <rhyton/framework/tensor/shape.h>
#include <rhyton/layers/argument.h>

namespace rhyton::layers {

/// Nested lists of numbers, `{{1, 2}, {3, 4}}`, as the elements of a tensor.
struct NestedNumbers {
  Shape shape;
  std::vector<Scalar> elements;
};

/// The elements of a number or of nested lists. Throws TypeError for anything else, ValueError for lists that differ in
/// length and for too many axes.
NestedNumbers nested_numbers(const Argument& argument);

}  // namespace rhyton::layers
