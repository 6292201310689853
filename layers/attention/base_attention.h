#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <rhyton/layers/layer.h>

// What Attention and AdditiveAttention share: calls on a list of query, value and key, masks, and the mean of the
// values weighted by the softmax of scores.

namespace rhyton::layers {

class BaseAttentionImpl : public LayerImpl {
 public:
  bool supports_masking() const override { return true; }
  std::vector<std::string> call_parameters() const override {
    return {"inputs", "mask", "return_attention_scores", "use_causal_mask"};
  }
  void check_single_input(const Shape& shape) const override;
  void check_inputs(const std::vector<Shape>& inputs) const override;
  std::vector<Tensor> call_with(const BoundArguments& arguments, bool training) override;
  std::vector<Tensor> compute_mask(const std::vector<Tensor>& inputs, const std::vector<Tensor>& masks) const override;

 protected:
  BaseAttentionImpl(const LayerOptions& options, double dropout) : LayerImpl(options), dropout_(dropout) {}

  /// Creates the state of the random numbers, if there is dropout: for the constructor of the complete object, which
  /// has a name.
  void make_state(const std::optional<std::int64_t>& seed);

  /// The scores [batch, queries, keys] of queries and keys.
  virtual Tensor scores_of(const Tensor& query, const Tensor& key) const = 0;
  /// The query whose products with keys are the scores, if these are products; else an empty tensor.
  virtual Tensor scaled_query(const Tensor& query) const = 0;
  /// Whether an axis of length 1 of query or key meets any other.
  virtual bool broadcasts() const = 0;

  std::vector<TensorSpec> infer_outputs(const BoundArguments& arguments) override;

 private:
  /// Throws ValueError in Keras's words for inputs that are no list, and for masks that are none or of another number.
  void check_arguments(const BoundArguments& arguments) const;
  void check_shapes(const std::vector<Shape>& shapes, const Argument& masks) const;
  /// Whether weights are dropped. Throws ValueError for a rate that is none.
  bool drops(bool training) const;
  Tensor fused(const Tensor& query, const Tensor& key, const Tensor& value, bool is_causal, bool training) const;
  /// The result and the weights of the values.
  std::vector<Tensor> composed(const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& mask,
                               bool is_causal, bool training) const;

  double dropout_;
  /// The number of draws, as that of Dropout.
  Variable state_;
};

}  // namespace rhyton::layers
