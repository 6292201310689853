#pragma once

#include <vector>

#include <rhyton/layers/core/embedding.h>
#include <rhyton/layers/core/quantizable_layer.h>

namespace rhyton::layers {

/// What Embedding and ReversibleEmbedding share: the weight embeddings [input_dim, output_dim], a row for each integer.
class BaseEmbedding : public QuantizableLayerImpl {
 public:
  /// Throws ValueError in Keras's words for numbers below 1.
  explicit BaseEmbedding(const EmbeddingArguments& arguments);

  bool autocasts() const override { return false; }
  void check_inputs(const std::vector<Shape>& inputs) const override;
  void build(const std::vector<Shape>& inputs) override;
  bool supports_masking() const override { return arguments_.mask_zero; }

 protected:
  const EmbeddingArguments& arguments() const { return arguments_; }
  /// The rows of these integers, in the compute dtype. Numbers of other dtypes are truncated to integers.
  Tensor rows_of(const Tensor& indices) const;

  std::vector<int> axes_of_scale() const override { return {1}; }
  Tensor stored_scale(const Tensor& scale) const override;
  Tensor kernel_scale(const Tensor& stored) const override;

 private:
  EmbeddingArguments arguments_;
};

}  // namespace rhyton::layers
