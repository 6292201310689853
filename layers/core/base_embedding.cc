#include <rhyton/layers/core/base_embedding.h>

#include <cstdint>
#include <string>

#include <rhyton/framework/error.h>
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

}  // namespace

BaseEmbedding::BaseEmbedding(const EmbeddingArguments& arguments)
    : LayerImpl(base_options(arguments)), arguments_(arguments) {
  require_positive("input_dim", arguments.input_dim);
  require_positive("output_dim", arguments.output_dim);
}

void BaseEmbedding::check_inputs(const std::vector<Shape>& inputs) const { check_input(*this, inputs); }

void BaseEmbedding::build(const std::vector<Shape>&) {
  embeddings_ = add_weight({.shape = {arguments_.input_dim, arguments_.output_dim},
                            .initializer = arguments_.embeddings_initializer,
                            .regularizer = arguments_.embeddings_regularizer,
                            .constraint = arguments_.embeddings_constraint,
                            .name = "embeddings"});
}

Tensor BaseEmbedding::rows_of(const Tensor& indices) const {
  const bool is_index = indices.dtype() == DType::int32 || indices.dtype() == DType::int64;
  return to_compute_dtype(gather(embeddings_, is_index ? indices : cast(indices, DType::int32)));
}

}  // namespace rhyton::layers
