#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <rhyton/layers/attention/attention_equations.h>
#include <rhyton/layers/attention/attention_mask.h>
#include <rhyton/layers/constraints.h>
#include <rhyton/layers/initializers.h>
#include <rhyton/layers/layer.h>
#include <rhyton/layers/regularizers.h>

// What MultiHeadAttention and GroupQueryAttention share: projections of query, key and value to heads, attention of
// each head, and a projection of what the heads compute.

namespace rhyton::layers {

/// The options that both layers have.
struct ProjectedAttentionSettings {
  double dropout = 0.0;
  bool use_bias = true;
  bool use_gate = false;
  std::optional<std::int64_t> sliding_window = std::nullopt;
  bool flash_attention = false;
  std::optional<std::int64_t> seed = std::nullopt;
  Initializer kernel_initializer = {};
  Initializer bias_initializer = {};
  Regularizer kernel_regularizer = {};
  Regularizer bias_regularizer = {};
  Regularizer activity_regularizer = {};
  Constraint kernel_constraint = {};
  Constraint bias_constraint = {};
  /// The size of a query's and a key's head.
  std::int64_t key_dim = 0;
};

template <class Options>
ProjectedAttentionSettings settings_of(const Options& options, std::int64_t key_dim) {
  return {.dropout = options.dropout,
          .use_bias = options.use_bias,
          .use_gate = options.use_gate,
          .sliding_window = options.sliding_window,
          .flash_attention = options.flash_attention.value_or(false),
          .seed = options.seed,
          .kernel_initializer = options.kernel_initializer,
          .bias_initializer = options.bias_initializer,
          .kernel_regularizer = options.kernel_regularizer,
          .bias_regularizer = options.bias_regularizer,
          .activity_regularizer = options.activity_regularizer,
          .kernel_constraint = options.kernel_constraint,
          .bias_constraint = options.bias_constraint,
          .key_dim = key_dim};
}

/// Throws ValueError in Keras's words for a window that is not positive.
void require_window(const std::optional<std::int64_t>& sliding_window);
/// Throws ValueError in Keras's words for both flash attention and dropout.
void require_no_dropout_in_flash(const std::optional<bool>& flash_attention, double dropout);

/// Shapes to build for, without a key's if it is not given.
BuildShapes shapes_of_query_value_and_key(const Shape& query, const Shape& value, const std::optional<Shape>& key);

class ProjectedAttentionImpl : public LayerImpl {
 public:
  bool supports_masking() const override { return true; }
  std::vector<std::string> call_parameters() const override {
    return {"query",
            "value",
            "key",
            "query_mask",
            "value_mask",
            "key_mask",
            "attention_mask",
            "return_attention_scores",
            "use_causal_mask"};
  }
  std::vector<std::string> build_parameters() const override { return {"query", "value", "key"}; }

  void build_with(const BuildShapes& shapes) override;
  std::vector<Tensor> call_with(const BoundArguments& arguments, bool training) override;

  const ProjectedAttentionSettings& settings() const { return settings_; }
  /// "query", "key", …; empty before the layer is built.
  const Layer& query_dense() const { return query_dense_; }
  const Layer& key_dense() const { return key_dense_; }
  const Layer& value_dense() const { return value_dense_; }
  const Layer& output_dense() const { return output_dense_; }

 protected:
  ProjectedAttentionImpl(const LayerOptions& options, const ProjectedAttentionSettings& settings)
      : LayerImpl(options), settings_(settings) {}

  /// The shapes of the tensors of a call.
  struct InputShapes {
    Shape query;
    Shape value;
    Shape key;
  };
  /// Those of a call. Throws TypeError in Python's words without a value.
  InputShapes input_shapes(const BoundArguments& arguments) const;

  /// Throws ValueError in Keras's words for a value and a key with other steps.
  [[noreturn]] void refuse_steps(const InputShapes& shapes) const;

  /// A projection: an EinsumDense of that name, for inputs of a rank.
  struct Projection {
    std::string name;
    ProjectionEquation equation;
    Shape output_shape;
    bool is_gate = false;
  };

  // What differs.

  /// Checks shapes that a layer is built for, and sets what depends on them, among it `equations_`.
  virtual void prepare_build(const InputShapes& shapes) = 0;
  virtual Projection query_projection(int rank) const = 0;
  virtual Projection key_projection(int rank) const = 0;
  virtual Projection gate_projection(int rank) const = 0;
  virtual Projection value_projection(int rank) const = 0;
  virtual Projection output_projection(const Shape& query) const = 0;
  /// The axes of the scores that are normalized together.
  virtual Layer make_softmax() const = 0;
  /// Throws ValueError for shapes of a call on symbolic tensors.
  virtual void check_symbolic(const InputShapes& shapes) const = 0;
  /// The lengths that take the place of the query's last one.
  virtual Shape output_lengths(const Shape& query) const = 0;
  /// Whether the masks of the tensors stay on them for the sublayers, `query_mask` can be given, and a sole
  /// `attention_mask` is compared with 0.5 where scores are stored.
  virtual bool is_grouped() const { return false; }

  std::vector<TensorSpec> infer_outputs(const BoundArguments& arguments) override;

  AttentionEquations equations_;

 private:
  Layer make(const Projection& projection, const Shape& input) const;
  /// Throws ValueError for shapes that do not fit each other or those of the first call.
  void check_shapes(const InputShapes& shapes) const;
  /// The shape of the scores. Throws ValueError for masks that do not fit it.
  Shape check_masks(const InputShapes& shapes, const BoundArguments& arguments) const;
  /// Throws ValueError in Keras's words for scores with flash attention.
  bool returns_scores(const BoundArguments& arguments) const;
  bool is_fused(int projected_rank, bool returns_scores) const;
  AttentionMasks masks_of(const BoundArguments& arguments) const;
  Tensor fused(const Tensor& query, const Tensor& key, const Tensor& value, const AttentionMasks& masks,
               bool training) const;
  /// The result, and the probabilities before dropout.
  std::vector<Tensor> composed(const Tensor& query, const Tensor& key, const Tensor& value,
                               const AttentionMasks& masks) const;

  ProjectedAttentionSettings settings_;
  Layer query_dense_;
  Layer key_dense_;
  Layer gate_dense_;
  Layer value_dense_;
  Layer softmax_;
  Layer dropout_;
  Layer output_dense_;
};

}  // namespace rhyton::layers
