#include <rhyton/layers/core/reversible_embedding.h>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/matmul.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/framework/tensor/result_type.h>
#include <rhyton/layers/call_stack.h>
#include <rhyton/layers/core/base_embedding.h>
#include <rhyton/layers/layer_config.h>

namespace rhyton::layers {
namespace {

EmbeddingArguments embedding_arguments(const ReversibleEmbeddingArguments& arguments) {
  EmbeddingArguments result;
  result.input_dim = arguments.input_dim;
  result.output_dim = arguments.output_dim;
  result.embeddings_initializer = arguments.embeddings_initializer;
  result.embeddings_regularizer = arguments.embeddings_regularizer;
  result.embeddings_constraint = arguments.embeddings_constraint;
  result.mask_zero = arguments.mask_zero;
  result.activity_regularizer = arguments.activity_regularizer;
  result.lora_rank = arguments.lora_rank;
  result.lora_alpha = arguments.lora_alpha;
  result.name = arguments.name;
  result.dtype = arguments.dtype;
  result.trainable = arguments.trainable;
  return result;
}

class ReversibleEmbeddingImpl final : public BaseEmbedding {
 public:
  explicit ReversibleEmbeddingImpl(const ReversibleEmbeddingArguments& arguments)
      : BaseEmbedding(embedding_arguments(arguments)), options_(arguments) {
    if (options_.reverse_dtype) reverse_dtype_ = dtype_from_name(*options_.reverse_dtype);
  }

  std::string class_name() const override { return ReversibleEmbedding::keras_name; }

  void build(const std::vector<Shape>& inputs) override {
    BaseEmbedding::build(inputs);
    if (options_.tie_weights) return;
    reverse_embeddings_ = add_weight({.shape = {options_.output_dim, options_.input_dim},
                                      .initializer = options_.embeddings_initializer,
                                      .name = "reverse_embeddings"});
  }

  bool can_be_quantized() const override { return false; }

  /// Outputs have masks of their own.
  std::vector<Tensor> compute_mask(const std::vector<Tensor>&, const std::vector<Tensor>&) const override { return {}; }

  std::vector<std::string> call_parameters() const override { return {"inputs", "reverse"}; }

  std::vector<Tensor> call_with(const BoundArguments& arguments, bool) override {
    const Tensor inputs = arguments.tensor("inputs");
    if (arguments.boolean("reverse", false)) return {projected_back(inputs)};
    const Tensor rows = rows_of(inputs);
    return {options_.mask_zero ? rows.with_mask(not_equal(inputs, 0)) : rows};
  }

  io::Json get_config() const override { return written(LayerImpl::get_config(), with_lora(options_)); }

 protected:
  std::vector<TensorSpec> infer_outputs(const BoundArguments& arguments) override {
    if (!arguments.boolean("reverse", false) || !arguments.first().is_symbolic()) {
      return LayerImpl::infer_outputs(arguments);
    }
    // Nothing stands in for a width that is not known: only one fits.
    const TensorSpec& x = arguments.first().symbolic().spec();
    require_width(x.shape);
    return {TensorSpec{.shape = x.shape.with(x.shape.rank() - 1, options_.input_dim),
                       .dtype = reverse_dtype_.value_or(result_type(x.dtype, compute_dtype()))}};
  }

 private:
  void require_width(const Shape& inputs) const {
    const bool fits = inputs.rank() > 0 && (inputs.at(-1) < 0 || inputs.at(-1) == options_.output_dim);
    if (fits) return;
    throw ValueError("Layer '" + name() + "' with `reverse=True` expects inputs of width output_dim=" +
                     std::to_string(options_.output_dim) + ". Received: inputs.shape=" + inputs.to_string());
  }

  Tensor projected_back(Tensor x) const {
    require_width(x.shape());
    // Adapted embeddings are in the compute dtype in any case.
    const Tensor embeddings = lora_enabled() ? kernel() : Tensor(kernel_variable());
    Tensor weights = options_.tie_weights ? transpose(embeddings) : Tensor(reverse_embeddings_);
    if (!is_called_in_mixed_precision()) weights = to_compute_dtype(weights);
    if (reverse_dtype_) {
      x = cast(x, *reverse_dtype_);
      weights = cast(weights, *reverse_dtype_);
    }
    const bool is_vector = x.rank() == 1;
    const Tensor product = matmul(is_vector ? expand_dims(x, 0) : x, weights);
    Tensor logits = is_vector ? squeeze(product, {0}) : product;
    if (!options_.logit_soft_cap) return logits;
    const double cap = *options_.logit_soft_cap;
    return multiply(tanh(divide(logits, cap)), cap);
  }

  /// Whether a layer or model that computes in another dtype than its weights have calls this one: as in Keras, the
  /// weights then keep their dtype, since this layer does not convert its inputs.
  bool is_called_in_mixed_precision() const {
    for (const Frame* frame = innermost_frame(); frame != nullptr; frame = frame->caller) {
      if (frame->layer != this && frame->layer->compute_dtype() != frame->layer->variable_dtype()) return true;
    }
    return false;
  }

  ReversibleEmbeddingArguments options_;
  std::optional<DType> reverse_dtype_;
  Variable reverse_embeddings_;
};

}  // namespace

ReversibleEmbedding::ReversibleEmbedding(std::int64_t input_dim, std::int64_t output_dim,
                                         const ReversibleEmbeddingOptions& options)
    : LoraLayer(
          std::make_shared<ReversibleEmbeddingImpl>(ReversibleEmbeddingArguments{options, input_dim, output_dim})) {}

ReversibleEmbedding ReversibleEmbedding::from_config(const io::Json& config) {
  const auto arguments = read_layer<ReversibleEmbedding>(config);
  return ReversibleEmbedding(arguments.input_dim, arguments.output_dim, arguments);
}

}  // namespace rhyton::layers
