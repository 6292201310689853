#pragma once

#include <string>
#include <vector>

#include <rhyton/framework/tensor/tensor.h>

namespace rhyton::layers {

/// How the scale of a quantized operand of an einsum becomes one of its result: by a transposition, then axes of length
/// 1 that are added, and others that are removed.
struct ScaleLayout {
  /// The axes that the product sums over.
  std::vector<int> reduced;
  std::vector<int> transposed;
  std::vector<int> expanded;
  std::vector<int> squeezed;

  /// From the layout of the operand, where the reduced axes have length 1.
  Tensor of_result(const Tensor& scale) const;
  /// Back.
  Tensor of_operand(const Tensor& scale) const;
};

/// What the equation of an EinsumDense means for quantized operands.
struct EinsumQuantization {
  ScaleLayout input;
  ScaleLayout kernel;
  /// Of the gradient of the output and the kernel: "output,kernel->input".
  std::string gradient_equation;
};

/// For inputs of that rank. Throws as `analyze_einsum`.
EinsumQuantization analyze_einsum_quantization(const std::string& equation, int rank);

}  // namespace rhyton::layers
