#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <rhyton/framework/tensor/shape.h>

namespace rhyton::layers {

/// What the equation of an EinsumDense means for inputs of one shape.
struct EinsumShapes {
  /// Lengths that neither input nor output tells are -1.
  Shape kernel;
  /// Empty without a bias.
  std::optional<Shape> bias;
  /// The axes of the kernel that are summed over, and those that the output has.
  std::vector<std::int64_t> input_axes;
  std::vector<std::int64_t> output_axes;
  /// If this is a product of matrices, of the input's last axes with the kernel's first ones: the number of these axes.
  /// The other axes of the kernel are then the last ones of the output, and those of the bias. Otherwise 0.
  int product_axes = 0;
};

/// Analyses an equation "[X],[Y]->[Z]", "...[X],[Y]->...[Z]" or "[X]...,[Y]->[Z]..." of input X, kernel Y and output Z.
/// `output_shape` has the lengths of the output without the batch and without the axes of "...", -1 where they follow
/// from the input; `bias_axes` the letters of Z that the bias has.
///
/// Throws ValueError in Keras's words for another format, letters of Y, Z or `bias_axes` that are nowhere else, and
/// lengths that differ.
EinsumShapes analyze_einsum(const std::string& equation, const std::optional<std::string>& bias_axes,
                            const Shape& input_shape, const Shape& output_shape);

/// The letters of input, kernel and output, with letters of their own for the axes of "...".
struct EinsumLabels {
  std::string input;
  std::string kernel;
  std::string output;
};

/// Those of an equation for inputs of that rank. Throws ValueError in Keras's words for another format.
EinsumLabels labels_of_einsum(const std::string& equation, int rank);

}  // namespace rhyton::layers
