#pragma once

#include <string>

#include <rhyton/framework/tensor/scalar.h>
#include <rhyton/layers/layer.h>

// `+`, `-`, `*` and `/` between symbolic tensors become layers that give the values and dtypes of keras.ops
// (`framework/tensor/result_type.h`) and that saved files contain and Keras reads.

namespace rhyton::layers {

enum class Arithmetic { add, subtract, multiply, divide };

/// The layer for an operator between two tensors of these dtypes: Add, Subtract or Multiply. Throws NotImplementedError
/// for division.
Layer arithmetic_layer(Arithmetic operation, DType a, DType b, const std::string& name = {});

/// The layer for an operator between a tensor of dtype `x` and a number: Rescaling. Throws NotImplementedError for a
/// number divided by a tensor, ValueError for an integer beyond 2^53, which a file would round.
Layer arithmetic_layer(Arithmetic operation, DType x, const Scalar& number, bool number_is_first,
                       const std::string& name = {});

}  // namespace rhyton::layers
