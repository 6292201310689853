#pragma once

#include <vector>

#include <rhyton/layers/operations/operation.h>

// The tables of operations. `all_operations` joins them.

namespace rhyton::layers {

/// Arithmetic and comparisons, and indexing: what operators of symbolic tensors become.
std::vector<Operation> arithmetic_operations();
std::vector<Operation> indexing_operations();
/// Activations: of keras.ops.nn and keras.activations.
std::vector<Operation> activation_operations();
/// The rest of keras.ops.nn, and its convolutions and pooling.
std::vector<Operation> nn_operations();
std::vector<Operation> window_operations();
/// Its functions that rearrange blocks of images.
std::vector<Operation> block_operations();
/// keras.ops.core, keras.ops.math and keras.ops.linalg.
std::vector<Operation> core_operations();
std::vector<Operation> math_operations();
std::vector<Operation> linalg_operations();
/// Its Fourier transforms.
std::vector<Operation> fourier_operations();
/// keras.ops.image.
std::vector<Operation> image_operations();
std::vector<Operation> image_cutting_operations();

// The functions of keras.ops.numpy.
std::vector<Operation> numpy_elementwise_operations();
std::vector<Operation> numpy_binary_operations();
std::vector<Operation> numpy_reduction_operations();
std::vector<Operation> numpy_statistics_operations();
std::vector<Operation> numpy_shaping_operations();
std::vector<Operation> numpy_joining_operations();
std::vector<Operation> numpy_indexing_operations();
std::vector<Operation> numpy_product_operations();
std::vector<Operation> numpy_creation_operations();

}  // namespace rhyton::layers
