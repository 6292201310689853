#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <rhyton/framework/by_name.h>
#include <rhyton/layers/initializers.h>
#include <rhyton/layers/layer.h>

namespace rhyton::layers {

/// Arguments of `enable_lora`. Fields in the order of Keras's signature.
struct LoraOptions {
  ByName by_name = ByName();
  /// The product of the two matrices is multiplied by `lora_alpha / rank`; by 1 if it is not given.
  std::optional<double> lora_alpha = std::nullopt;
  Initializer a_initializer = "he_uniform";
  Initializer b_initializer = "zeros";
};

class LoraLayerImpl;

/// A layer whose kernel can be adapted by matrices of low rank (LoRA, https://arxiv.org/abs/2106.09685): a handle of a
/// Dense, EinsumDense, Embedding, ReversibleEmbedding or convolution.
///
///     for (const Layer& layer : model.layers()) {
///       if (layer.class_name() == "Dense") LoraLayer::from_layer(layer).enable_lora(4);
///     }
///     model.compile({.optimizer = "adam", .loss = "mse"});
class LoraLayer : public Layer {
 public:
  /// The handle of such a layer. Throws TypeError for a layer of another class.
  static LoraLayer from_layer(const Layer& layer);
  /// Whether it is such a layer.
  static bool is_possible_for(const Layer& layer);

  /// Makes the kernel not trainable and adds the trainable weights lora_kernel_a [..., rank] and lora_kernel_b [rank,
  /// columns], float32, of an embedding lora_embeddings_a and lora_embeddings_b. The layer then computes with kernel +
  /// lora_alpha / rank · a · b. Files get this sum as the kernel, and a layer that loads one has zeros as a and b. Models
  /// trace their steps again; their optimizers must not have been built yet, so `compile` comes after it.
  ///
  /// Throws ValueError in Keras's words if the layer is not built, has a constraint of its kernel, or has LoRA already,
  /// and for a rank below 1.
  void enable_lora(std::int64_t rank, const LoraOptions& options = {}) const;
  bool lora_enabled() const;

 protected:
  explicit LoraLayer(const std::shared_ptr<LoraLayerImpl>& impl);
};

/// What the implementations of such layers share.
class LoraLayerImpl : public LayerImpl {
 public:
  void enable_lora(std::int64_t rank, const LoraOptions& options);
  bool lora_enabled() const { return lora_enabled_.load(std::memory_order_acquire); }

  /// Without a and b.
  std::vector<std::pair<std::string, Variable>> saved_variables() const override;
  const Variable& kernel_variable() const { return kernel_; }
  /// The value of one of the layer's variables, as of now, for files: the kernel with what LoRA adds to it, as in Keras
  /// rounded to the compute dtype.
  virtual Tensor saved_value(const Variable& variable) const;
  /// The number of times that the layer was changed since it was built: LoRA was enabled, or the kernel quantized.
  std::int64_t adaptations() const { return adaptations_.load(std::memory_order_acquire); }
  /// a and b; none without LoRA.
  std::vector<Variable> lora_weights() const;

 protected:
  /// `rank` and `alpha` are the layer's arguments `lora_rank` and `lora_alpha`.
  LoraLayerImpl(const LayerOptions& options, std::optional<std::int64_t> rank, std::optional<double> alpha);

  /// Adds the weight that LoRA adapts. Unless `is_weight`, `replace_kernel` will add it.
  void add_kernel(const WeightOptions& options, bool is_weight = true);
  /// Adds this weight in the place of the kernel, if there is one.
  void replace_kernel(const WeightOptions& options);
  /// Says that the layer now computes in another way.
  void mark_adapted() { adaptations_.fetch_add(1, std::memory_order_release); }
  /// What LoRA adds to the kernel, as of now: lora_alpha / rank · a · b.
  Tensor lora_difference() const { return difference(a_.stored_value(), b_.stored_value()); }
  /// Enables LoRA if the layer's arguments say so; the end of `build`.
  void enable_requested_lora();
  /// The kernel that the layer computes with, in the compute dtype.
  Tensor kernel() const;
  /// What the kernel is, without what LoRA adds, and a, b and the factor of their product.
  const Variable& lora_a() const { return a_; }
  const Variable& lora_b() const { return b_; }
  double lora_scale() const { return *alpha_ / static_cast<double>(*rank_); }

  /// The arguments with the rank and alpha that hold.
  template <class Arguments>
  Arguments with_lora(Arguments arguments) const {
    arguments.lora_rank = rank_;
    arguments.lora_alpha = rank_ ? alpha_ : std::nullopt;
    return arguments;
  }

 private:
  void add_lora_weights(std::int64_t rank, const LoraOptions& options);
  // lora_alpha / rank · a · b, in the shape of the kernel.
  Tensor difference(const Tensor& a, const Tensor& b) const;

  std::optional<std::int64_t> rank_;
  std::optional<double> alpha_;
  std::atomic<bool> lora_enabled_{false};
  std::atomic<std::int64_t> adaptations_{0};
  Variable kernel_;
  /// Of the kernel as an argument of the layer: they hold for the kernel, and for a quantized one's matrices.
  Regularizer regularizer_;
  bool has_constraint_ = false;
  Variable a_;
  Variable b_;
};

}  // namespace rhyton::layers
