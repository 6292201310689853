#include <rhyton/layers/core/embedding.h>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/gather.h>
#include <rhyton/layers/input_spec.h>
#include <rhyton/layers/layer_config.h>

namespace rhyton::layers {
namespace {

void require_positive(const std::string& argument, std::int64_t value) {
  if (value > 0) return;
  throw ValueError("`" + argument + "` must be a positive integer. Received: " + argument + "=" +
                   std::to_string(value) + " (of type int).");
}

class EmbeddingImpl final : public LayerImpl {
 public:
  explicit EmbeddingImpl(const EmbeddingArguments& options) : LayerImpl(base_options(options)), options_(options) {
    require_positive("input_dim", options.input_dim);
    require_positive("output_dim", options.output_dim);
  }

  std::string class_name() const override { return Embedding::keras_name; }
  bool autocasts() const override { return false; }

  void check_inputs(const std::vector<Shape>& inputs) const override { check_input(*this, inputs); }

  void build(const std::vector<Shape>&) override {
    embeddings_ = add_weight({.shape = {options_.input_dim, options_.output_dim},
                              .initializer = options_.embeddings_initializer,
                              .regularizer = options_.embeddings_regularizer,
                              .name = "embeddings"});
  }

  bool supports_masking() const override { return options_.mask_zero; }
  std::vector<Tensor> compute_mask(const std::vector<Tensor>& inputs, const std::vector<Tensor>&) const override {
    return {not_equal(inputs.front(), 0)};
  }
  std::vector<SymbolicTensor> compute_symbolic_mask(const std::vector<SymbolicTensor>& inputs,
                                                    const std::vector<SymbolicTensor>&) const override {
    return {symbolic_operation("NotEqual", inputs.front(), 0)};
  }

  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool) override {
    const bool is_index = inputs[0].dtype() == DType::int32 || inputs[0].dtype() == DType::int64;
    const Tensor indices = is_index ? inputs[0] : cast(inputs[0], DType::int32);
    return {to_compute_dtype(gather(embeddings_, indices))};
  }

  io::Json get_config() const override { return written(LayerImpl::get_config(), options_); }

 private:
  EmbeddingArguments options_;
  Variable embeddings_;
};

}  // namespace

Embedding::Embedding(std::int64_t input_dim, std::int64_t output_dim, const EmbeddingOptions& options)
    : Layer(std::make_shared<EmbeddingImpl>(EmbeddingArguments{options, input_dim, output_dim})) {}

Embedding Embedding::from_config(const io::Json& config) {
  const auto arguments = read_layer<Embedding>(config);
  return Embedding(arguments.input_dim, arguments.output_dim, arguments);
}

}  // namespace rhyton::layers
