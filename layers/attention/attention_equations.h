#pragma once

#include <string>
#include <vector>

#include <rhyton/framework/tensor/shape.h>

namespace rhyton::layers {

/// The equation of a projection (an EinsumDense) and the letters of its bias.
struct ProjectionEquation {
  std::string equation;
  std::string bias_axes;
};

/// That of a projection of the last `bound_axes` axes of an input with as many `free_axes` before them, the batch among
/// them, to `output_axes` new ones: 2, 1, 2 is "abc,cde->abde".
ProjectionEquation projection_equation(int free_axes, int bound_axes, int output_axes);

/// The equations of attention over some axes of projected queries, keys and values of a rank (Keras's
/// `_build_attention_equation`).
struct AttentionEquations {
  /// Of the scores: of key and query.
  std::string scores;
  /// Of the result: of the probabilities and the value.
  std::string result;
  /// The axes of a projected tensor over which attention does not go, without the last.
  std::vector<int> batch_axes;
  std::vector<int> attention_axes;

  int rank_of_scores() const { return static_cast<int>(batch_axes.size() + 2 * attention_axes.size()); }
  /// The shape of the scores for these projected tensors.
  Shape shape_of_scores(const Shape& query, const Shape& value) const;
};

/// `attention_axes` are counted from the front and differ. The scores must not have more axes than a shape can have.
AttentionEquations attention_equations(int rank, const std::vector<int>& attention_axes);

}  // namespace rhyton::layers
