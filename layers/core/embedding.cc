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
  EmbeddingImpl(std::int64_t input_dim, std::int64_t output_dim, const EmbeddingOptions& options)
      : LayerImpl(base_options(options)), input_dim_(input_dim), output_dim_(output_dim), options_(options) {
    require_positive("input_dim", input_dim);
    require_positive("output_dim", output_dim);
  }

  std::string class_name() const override { return "Embedding"; }
  bool autocasts() const override { return false; }

  void check_inputs(const std::vector<Shape>& inputs) const override { check_input(*this, inputs); }

  void build(const std::vector<Shape>&) override {
    embeddings_ = add_weight({.shape = {input_dim_, output_dim_},
                              .initializer = options_.embeddings_initializer,
                              .regularizer = options_.embeddings_regularizer,
                              .name = "embeddings"});
  }

  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool) override {
    const bool is_index = inputs[0].dtype() == DType::int32 || inputs[0].dtype() == DType::int64;
    const Tensor indices = is_index ? inputs[0] : cast(inputs[0], DType::int32);
    return {to_compute_dtype(gather(embeddings_, indices))};
  }

  io::Json get_config() const override {
    io::Json config = LayerImpl::get_config();
    config.erase("activity_regularizer");  // written at Keras's position below
    return extended(config, io::Json::object({
                                {"input_dim", input_dim_},
                                {"output_dim", output_dim_},
                                {"embeddings_initializer", options_.embeddings_initializer.to_config()},
                                {"embeddings_regularizer", options_.embeddings_regularizer.to_config()},
                                {"activity_regularizer", options_.activity_regularizer.to_config()},
                                {"embeddings_constraint", nullptr},
                                {"mask_zero", false},
                            }));
  }

 private:
  std::int64_t input_dim_;
  std::int64_t output_dim_;
  EmbeddingOptions options_;
  Variable embeddings_;
};

}  // namespace

Embedding::Embedding(std::int64_t input_dim, std::int64_t output_dim, const EmbeddingOptions& options)
    : Layer(std::make_shared<EmbeddingImpl>(input_dim, output_dim, options)) {}

Embedding Embedding::from_config(const io::Json& config) {
  ConfigReader reader("Embedding", config);
  EmbeddingOptions options;
  reader.read_base(options);
  const auto input_dim = reader.require<std::int64_t>("input_dim");
  const auto output_dim = reader.require<std::int64_t>("output_dim");
  reader.read("embeddings_initializer", options.embeddings_initializer);
  reader.read("embeddings_regularizer", options.embeddings_regularizer);
  reader.ignore("mask_zero", false);
  reader.find("input_length");  // Keras 2; it has no effect
  reader.finish();
  return Embedding(input_dim, output_dim, options);
}

}  // namespace rhyton::layers
