#pragma once

#include <functional>
#include <string>
#include <vector>

#include <rhyton/layers/layer.h>
#include <rhyton/layers/symbolic_tensor.h>

namespace rhyton::layers {

/// What an operation with functions of C++ among its arguments computes.
using OperationFunction = std::function<std::vector<Tensor>(const std::vector<Tensor>&)>;

/// The outputs of an operation that is no row of the table, since it has functions among its arguments: `function` of
/// tensors in place of `inputs`. As a node of a model it has Keras's class name and no weights; a file cannot hold it,
/// so that saving the model throws ValueError.
std::vector<SymbolicTensor> call_function_operation(const std::string& class_name, const OperationFunction& function,
                                                    const std::vector<SymbolicTensor>& inputs);

/// A new layer with the function of such an operation, which no configuration holds. Empty for another layer.
Layer copy_of_function_operation(const Layer& layer);

}  // namespace rhyton::layers
