#include <rhyton/layers/attention/projected_attention.h>

#include <cmath>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/attention.h>
#include <rhyton/framework/ops/einsum.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/layers/attention/argument_shapes.h>
#include <rhyton/layers/core/einsum_dense.h>
#include <rhyton/layers/layer_config.h>
#include <rhyton/layers/regularization/dropout.h>
#include <rhyton/layers/regularization/dropout_mask.h>

namespace rhyton::layers {
namespace {

/// [batch, positions, heads, size] with each head repeated.
Tensor with_heads(const Tensor& x, std::int64_t heads) {
  const std::int64_t own = x.shape()[2];
  return own == heads || own == 0 ? x : repeat(x, heads / own, 2);
}

Tensor output_of(const Layer& layer, const CallArguments& arguments) { return layer.impl()->invoke(arguments).front(); }

}  // namespace

void require_window(const std::optional<std::int64_t>& sliding_window) {
  if (!sliding_window.has_value() || *sliding_window > 0) return;
  throw ValueError("`sliding_window` must be `None` or a positive integer. Received: sliding_window=" +
                   std::to_string(*sliding_window));
}

void require_no_dropout_in_flash(const std::optional<bool>& flash_attention, double dropout) {
  if (!flash_attention.value_or(false) || !(dropout > 0)) return;
  throw ValueError(
      "Dropout is not supported when flash attention is enabled. Please set dropout to 0.0 to use flash attention.");
}

BuildShapes shapes_of_query_value_and_key(const Shape& query, const Shape& value, const std::optional<Shape>& key) {
  if (key.has_value()) return {{"query", query}, {"value", value}, {"key", *key}};
  return {{"query", query}, {"value", value}};
}

ProjectedAttentionImpl::InputShapes ProjectedAttentionImpl::input_shapes(const BoundArguments& arguments) const {
  if (arguments["value"].is_none()) {
    throw TypeError(class_name() + ".call() missing a required argument: 'value' (layer \"" + name() + "\")");
  }
  const Shape value = shape_of_argument(arguments["value"]);
  return {.query = shape_of_argument(arguments["query"]),
          .value = value,
          .key = arguments["key"].is_none() ? value : shape_of_argument(arguments["key"])};
}

void ProjectedAttentionImpl::build_with(const BuildShapes& given) {
  const InputShapes shapes = {
      .query = given["query"], .value = given["value"], .key = given.has("key") ? given["key"] : given["value"]};
  for (const Shape& shape : {shapes.query, shapes.value, shapes.key}) {
    if (shape.rank() >= 2) continue;
    throw ValueError("The query, value and key of layer \"" + name() +
                     "\" must have at least 2 axes. Received: shape=" + shape.to_string());
  }
  prepare_build(shapes);
  query_dense_ = track("query_dense", make(query_projection(shapes.query.rank()), shapes.query));
  key_dense_ = track("key_dense", make(key_projection(shapes.key.rank()), shapes.key));
  if (settings_.use_gate) {
    gate_dense_ = track("_gate_dense", make(gate_projection(shapes.query.rank()), shapes.query));
  }
  value_dense_ = track("value_dense", make(value_projection(shapes.value.rank()), shapes.value));
  softmax_ = track("_softmax", make_softmax());
  dropout_ = track("_dropout_layer", Dropout(settings_.dropout, {.seed = settings_.seed, .dtype = dtype_policy()}));
  // The projected query with values in place of its last axis.
  const Projection value = value_projection(shapes.query.rank());
  const Projection query = query_projection(shapes.query.rank());
  Shape heads = shapes.query.slice(0, shapes.query.rank() - 1);
  heads.push_back(query.output_shape.at(-2));
  heads.push_back(value.output_shape.at(-1));
  output_dense_ = track("output_dense", make(output_projection(shapes.query), heads));
}

Layer ProjectedAttentionImpl::make(const Projection& projection, const Shape& input) const {
  Layer layer =
      EinsumDense(projection.equation.equation, projection.output_shape,
                  {.activation = projection.is_gate ? ActivationFunction("sigmoid") : ActivationFunction(),
                   .bias_axes = settings_.use_bias ? std::optional(projection.equation.bias_axes) : std::nullopt,
                   .kernel_initializer = settings_.kernel_initializer,
                   .bias_initializer = settings_.bias_initializer,
                   .kernel_regularizer = settings_.kernel_regularizer,
                   .bias_regularizer = settings_.bias_regularizer,
                   .activity_regularizer = settings_.activity_regularizer,
                   .kernel_constraint = settings_.kernel_constraint,
                   .bias_constraint = settings_.bias_constraint,
                   .name = projection.name,
                   .dtype = dtype_policy()});
  layer.impl()->ensure_built({input});
  return layer;
}

// --- Checks

void ProjectedAttentionImpl::refuse_steps(const InputShapes& shapes) const {
  throw ValueError("All dimensions of `value` and `key`, except the last one, must be equal. Received: value_shape=" +
                   shapes.value.to_string() + " and key_shape=" + shapes.key.to_string() + " (layer \"" + name() +
                   "\")");
}

void ProjectedAttentionImpl::check_shapes(const InputShapes& shapes) const {
  const auto received = [&] {
    return " Received: query_shape=" + shapes.query.to_string() + ", value_shape=" + shapes.value.to_string() +
           ", key_shape=" + shapes.key.to_string() + " (layer \"" + name() + "\")";
  };
  const auto require_projection = [&](const Layer& projection, const Shape& shape, const std::string& argument) {
    projection.impl()->check_inputs({shape});
    // A quantized kernel has another shape.
    if (!projection.quantization_mode().empty()) return;
    const std::int64_t length = projection.impl()->own_weights().front().shape()[0];
    if (may_be_equal(shape.at(-1), length)) return;
    throw ValueError("The last dimension of `" + argument + "` must be " + std::to_string(length) +
                     ", for which the layer was built." + received());
  };
  require_projection(query_dense_, shapes.query, "query");
  require_projection(value_dense_, shapes.value, "value");
  require_projection(key_dense_, shapes.key, "key");
  if (shapes.query.rank() != shapes.value.rank() || shapes.key.rank() != shapes.value.rank()) {
    throw ValueError("`query`, `value` and `key` must have the same number of dimensions." + received());
  }
  for (int axis = 0; axis + 1 < shapes.value.rank(); ++axis) {
    if (!may_be_equal(shapes.value[axis], shapes.key[axis])) refuse_steps(shapes);
  }
  for (const int axis : equations_.batch_axes) {
    if (axis + 1 >= shapes.query.rank() || may_be_equal(shapes.query[axis], shapes.value[axis])) continue;
    throw ValueError("`query` and `value` must have the same length along axis " + std::to_string(axis) +
                     ", over which there is no attention." + received());
  }
}

Shape ProjectedAttentionImpl::check_masks(const InputShapes& shapes, const BoundArguments& arguments) const {
  const auto projected = [&](const Shape& shape) {
    Shape result = shape.slice(0, shape.rank() - 1);
    result.push_back(query_projection(shapes.query.rank()).output_shape.at(-2));
    result.push_back(settings_.key_dim);
    return result;
  };
  const Shape scores = equations_.shape_of_scores(projected(shapes.query), projected(shapes.value));
  const auto attention_axes = static_cast<int>(equations_.attention_axes.size());
  const auto require = [&](const Shape& mask, const std::string& argument) {
    const Shape expanded = expanded_mask_shape(mask, scores.rank(), attention_axes, "`" + argument + "`");
    for (int axis = 0; axis < scores.rank(); ++axis) {
      if (expanded[axis] == 1 || may_be_equal(expanded[axis], scores[axis])) continue;
      throw ValueError("The `" + argument + "` does not fit attention scores of shape " + scores.to_string() +
                       ". Received a mask of shape " + mask.to_string() + " (layer \"" + name() + "\").");
    }
  };
  if (!arguments["attention_mask"].is_none()) require(shape_of_argument(arguments["attention_mask"]), "attention_mask");
  for (const std::string argument : {"query_mask", "value_mask", "key_mask"}) {
    const bool is_of_query = argument == "query_mask";
    if (arguments[argument].is_none() || (is_of_query && !is_grouped())) continue;
    const Shape mask = shape_of_argument(arguments[argument]);
    if (mask.rank() == 0) throw ValueError("The `" + argument + "` of layer \"" + name() + "\" has no axes.");
    const Shape before = mask.slice(0, mask.rank() - 1);
    require(is_of_query ? mask.concatenate({1}) : before.concatenate({1, mask.at(-1)}), argument);
  }
  const Shape of_steps = {1, shapes.query[1], shapes.value[1]};
  if (arguments.boolean("use_causal_mask", false)) require(of_steps, "use_causal_mask");
  if (settings_.sliding_window.has_value()) require(of_steps, "sliding_window");
  return scores;
}

bool ProjectedAttentionImpl::returns_scores(const BoundArguments& arguments) const {
  const bool result = arguments.boolean("return_attention_scores", false);
  if (result && settings_.flash_attention) {
    throw ValueError(
        "Returning attention scores is not supported when flash attention is enabled. Please disable flash attention "
        "to access attention scores.");
  }
  return result;
}

std::vector<TensorSpec> ProjectedAttentionImpl::infer_outputs(const BoundArguments& arguments) {
  const InputShapes shapes = input_shapes(arguments);
  const Shape& query = shapes.query;
  check_symbolic(shapes);
  check_shapes(shapes);
  const Shape scores = check_masks(shapes, arguments);
  std::vector<TensorSpec> specs = {
      {query.slice(0, query.rank() - 1).concatenate(output_lengths(query)), compute_dtype()}};
  if (returns_scores(arguments)) specs.push_back({scores, compute_dtype()});
  return specs;
}

// --- The call

bool ProjectedAttentionImpl::is_fused(int projected_rank, bool returns_scores) const {
  // Everything is dropped with a rate of 1.
  return !returns_scores && projected_rank == 4 && settings_.dropout < 1;
}

AttentionMasks ProjectedAttentionImpl::masks_of(const BoundArguments& arguments) const {
  AttentionMasks masks{.query = is_grouped() ? arguments.tensor("query_mask") : arguments.tensor("query").mask(),
                       .value = arguments.tensor("value_mask"),
                       .key = arguments.tensor("key_mask"),
                       .attention = arguments.tensor("attention_mask"),
                       .is_causal = arguments.boolean("use_causal_mask", false),
                       .sliding_window = settings_.sliding_window};
  const bool is_raw = is_grouped() && !masks.has_automatic();
  if (!masks.attention.is_empty() && masks.attention.dtype() != DType::bool_) {
    const bool stores_scores = settings_.dropout > 0 || returns_scores(arguments);
    masks.attention = is_raw && stores_scores ? greater(masks.attention, 0.5) : cast(masks.attention, DType::bool_);
  }
  return masks;
}

std::vector<Tensor> ProjectedAttentionImpl::call_with(const BoundArguments& arguments, bool training) {
  const InputShapes shapes = input_shapes(arguments);
  check_shapes(shapes);
  check_masks(shapes, arguments);
  const bool with_scores = returns_scores(arguments);
  const auto tensor_of = [&](const char* argument) {
    const Tensor tensor = arguments.tensor(argument);
    return tensor.is_empty() || is_grouped() ? tensor : tensor.without_mask();
  };
  const Tensor query = tensor_of("query");
  const Tensor value = tensor_of("value");
  const Tensor key = arguments["key"].is_none() ? value : tensor_of("key");
  const AttentionMasks masks = masks_of(arguments);

  const Tensor gate = settings_.use_gate ? output_of(gate_dense_, {.args = {query}}) : Tensor();
  const Tensor queries = output_of(query_dense_, {.args = {query}});
  const Tensor keys = output_of(key_dense_, {.args = {key}});
  const Tensor values = output_of(value_dense_, {.args = {value}});
  Tensor heads;
  Tensor scores;
  if (is_fused(queries.rank(), with_scores)) {
    heads = fused(queries, keys, values, masks, training);
  } else {
    std::vector<Tensor> results = composed(queries, keys, values, masks);
    heads = results[0];
    scores = results[1];
  }
  Tensor output = output_of(output_dense_, {.args = {gate.is_empty() ? heads : multiply(heads, gate)}});
  if (!masks.query.is_empty() && !is_grouped()) output = output.with_mask(masks.query);
  return with_scores ? std::vector<Tensor>{output, scores} : std::vector<Tensor>{output};
}

Tensor ProjectedAttentionImpl::fused(const Tensor& query, const Tensor& key, const Tensor& value,
                                     const AttentionMasks& masks, bool training) const {
  const auto attention_axes = static_cast<int>(equations_.attention_axes.size());
  AttentionAttributes attributes{.scale = 1 / std::sqrt(static_cast<double>(settings_.key_dim)),
                                 .is_causal = masks.is_causal,
                                 .zero_where_hidden = settings_.dropout > 0};
  AttentionTensors tensors{.query = query, .key = key, .value = value};
  tensors.mask = mask_of_keys(masks, query.shape()[1], value.shape()[1], attention_axes);
  if (training && settings_.dropout > 0) {
    attributes.dropout = {.rate = settings_.dropout, .key = dropout_mask_key, .first_sample = first_sample_of(query)};
    tensors.draw = next_dropout_draw(dropout_.impl()->own_variables().front());
  }
  Tensor result = attention(tensors, attributes);
  // Without keys the result is zeros.
  if (masks.query.is_empty() || value.shape()[1] == 0) return result;
  // A hidden query may use no key. Saying so here keeps the mask of keys as small as it is.
  const Tensor mask = expand_dims(cast(masks.query, DType::bool_), -1);
  const Tensor rows = transpose(expand_mask(mask, 4, attention_axes, "`query_mask`"), {0, 2, 1, 3});
  if (attributes.zero_where_hidden) return where(rows, result, 0.0);
  const DType dtype = is_half(value.dtype()) ? DType::float32 : value.dtype();
  const Tensor means = cast(mean(cast(value, dtype), {1}, true), value.dtype());
  return where(rows, result, with_heads(means, query.shape()[2]));
}

std::vector<Tensor> ProjectedAttentionImpl::composed(const Tensor& query, const Tensor& key, const Tensor& value,
                                                     const AttentionMasks& masks) const {
  const double scale = 1 / std::sqrt(static_cast<double>(settings_.key_dim));
  const bool has_groups = is_grouped() && query.rank() == 4;
  const std::int64_t heads = has_groups ? query.shape()[2] : 0;
  const Tensor keys = has_groups ? with_heads(key, heads) : key;
  const Tensor values = has_groups ? with_heads(value, heads) : value;
  const Tensor scores = einsum(equations_.scores, keys, multiply(query, scale));
  const Tensor mask = mask_of_scores(masks, query.shape()[1], value.shape()[1], scores.rank(),
                                     static_cast<int>(equations_.attention_axes.size()));
  CallArguments arguments{.args = {scores}};
  if (!mask.is_empty()) arguments.kwargs.emplace_back("mask", mask);
  const Tensor probabilities = output_of(softmax_, arguments);
  const Tensor kept = settings_.dropout > 0 ? output_of(dropout_, {.args = {probabilities}}) : probabilities;
  return {einsum(equations_.result, kept, values), probabilities};
}

}  // namespace rhyton::layers
