#include <rhyton/layers/core/embedding.h>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/layers/core/base_embedding.h>
#include <rhyton/layers/layer_config.h>

namespace rhyton::layers {
namespace {

class EmbeddingImpl final : public BaseEmbedding {
 public:
  using BaseEmbedding::BaseEmbedding;

  std::string class_name() const override { return Embedding::keras_name; }

  std::vector<Tensor> compute_mask(const std::vector<Tensor>& inputs, const std::vector<Tensor>&) const override {
    return {not_equal(inputs.front(), 0)};
  }
  std::vector<SymbolicTensor> compute_symbolic_mask(const std::vector<SymbolicTensor>& inputs,
                                                    const std::vector<SymbolicTensor>&) const override {
    return {symbolic_operation("NotEqual", inputs.front(), 0)};
  }

  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool) override { return {rows_of(inputs[0])}; }

  io::Json get_config() const override { return written(LayerImpl::get_config(), with_adaptations(arguments())); }
};

}  // namespace

Embedding::Embedding(std::int64_t input_dim, std::int64_t output_dim, const EmbeddingOptions& options)
    : LoraLayer(std::make_shared<EmbeddingImpl>(EmbeddingArguments{options, input_dim, output_dim})) {}

Embedding Embedding::from_config(const io::Json& config) {
  const auto arguments = read_layer<Embedding>(config);
  return Embedding(arguments.input_dim, arguments.output_dim, arguments);
}

}  // namespace rhyton::layers
