#include <rhyton/layers/core/base_embedding.h>

#include <cstdint>
#include <string>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/gather.h>
#include <rhyton/framework/ops/matmul.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/layers/input_spec.h>
#include <rhyton/layers/layer_config.h>

namespace rhyton::layers {
namespace {

void require_positive(const std::string& argument, std::int64_t value) {
  if (value > 0) return;
  throw ValueError("`" + argument + "` must be a positive integer. Received: " + argument + "=" +
                   std::to_string(value) + " (of type int).");
}

}  // namespace

BaseEmbedding::BaseEmbedding(const EmbeddingArguments& arguments)
    : QuantizableLayerImpl(base_options(arguments), arguments.lora_rank, arguments.lora_alpha,
                           arguments.quantization_config),
      arguments_(arguments) {
  require_positive("input_dim", arguments.input_dim);
  require_positive("output_dim", arguments.output_dim);
}

void BaseEmbedding::check_inputs(const std::vector<Shape>& inputs) const { check_input(*this, inputs); }

void BaseEmbedding::build(const std::vector<Shape>&) {
  add_kernel_of_policy({.shape = {arguments_.input_dim, arguments_.output_dim},
                        .initializer = arguments_.embeddings_initializer,
                        .regularizer = arguments_.embeddings_regularizer,
                        .constraint = arguments_.embeddings_constraint,
                        .name = "embeddings"});
  enable_requested_lora();
}

Tensor BaseEmbedding::rows_of(const Tensor& indices) const {
  const bool is_index = indices.dtype() == DType::int32 || indices.dtype() == DType::int64;
  const Tensor rows = is_index ? indices : cast(indices, DType::int32);
  Tensor embeddings = to_compute_dtype(gather(kernel_variable(), rows));
  if (is_quantized()) {
    embeddings = divide(embeddings, expand_dims(to_compute_dtype(gather(scale_variable(), rows)), -1));
  }
  if (!lora_enabled()) return embeddings;
  // Rows of the product, which as a whole may be much larger. The product with the factor gives `a` a gradient of its
  // shape, as in Keras, where one of rows could be asked for (CompileOptions::sparse_embedding_gradients).
  const Tensor a = gather(multiply(to_compute_dtype(lora_a()), lora_scale()), rows);
  const Tensor product = matmul(reshape(a, {-1, a.shape().at(-1)}), to_compute_dtype(lora_b()));
  return add(embeddings, reshape(product, embeddings.shape()));
}

Tensor BaseEmbedding::stored_scale(const Tensor& scale) const { return squeeze(scale, {-1}); }
Tensor BaseEmbedding::kernel_scale(const Tensor& stored) const { return expand_dims(stored, -1); }

}  // namespace rhyton::layers
