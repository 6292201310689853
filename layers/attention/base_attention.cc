#include <rhyton/layers/attention/base_attention.h>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/attention.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/matmul.h>
#include <rhyton/framework/ops/random.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/framework/ops/softmax.h>
#include <rhyton/layers/attention/argument_shapes.h>
#include <rhyton/layers/attention/attention_mask.h>
#include <rhyton/layers/regularization/dropout_mask.h>

namespace rhyton::layers {
namespace {

/// The mask of query (0) or value (1); empty for none.
Tensor mask_at(const Argument& masks, std::size_t i) {
  if (masks.is_none() || masks.list()[i].is_none()) return {};
  return cast(masks.list()[i].tensor(), DType::bool_);
}

/// [batch, keys] -> [batch, 1, keys].
Tensor of_pairs(const Tensor& mask) { return mask.is_empty() || mask.rank() > 2 ? mask : expand_dims(mask, -2); }

}  // namespace

void BaseAttentionImpl::make_state(const std::optional<std::int64_t>& seed) {
  if (dropout_ > 0) state_ = add_state(first_dropout_draw(seed), "seed_generator_state");
}

// --- Checks

void BaseAttentionImpl::check_single_input(const Shape& shape) const {
  throw ValueError(class_name() +
                   " layer must be called on a list of inputs, namely [query, value] or [query, value, key]. "
                   "Received: inputs=" +
                   shape.to_string() + ".");
}

void BaseAttentionImpl::check_inputs(const std::vector<Shape>& inputs) const {
  if (inputs.size() == 2 || inputs.size() == 3) return;
  throw ValueError(class_name() +
                   " layer accepts inputs list of length 2 or 3, namely [query, value] or [query, value, key]. "
                   "Received length: " +
                   std::to_string(inputs.size()) + ".");
}

void BaseAttentionImpl::check_arguments(const BoundArguments& arguments) const {
  const Argument& inputs = arguments.first();
  if (!inputs.is_list()) {
    throw ValueError(class_name() +
                     " layer must be called on a list of inputs, namely [query, value] or [query, value, key]. "
                     "Received: inputs=" +
                     inputs.to_string() + ".");
  }
  const Argument& mask = arguments["mask"];
  if (mask.is_none()) return;
  if (!mask.is_list()) {
    throw ValueError(class_name() + " layer mask must be a list, namely [query_mask, value_mask]. Received: mask=" +
                     mask.to_string() + ".");
  }
  if (mask.list().size() < 2 || mask.list().size() > 3) {
    throw ValueError(class_name() + " layer accepts mask list of length 2 or 3. Received: inputs=" +
                     inputs.to_string() + ", mask=" + mask.to_string() + ".");
  }
}

void BaseAttentionImpl::check_shapes(const std::vector<Shape>& shapes, const Argument& masks) const {
  const Shape& query = shapes[0];
  const Shape& value = shapes[1];
  const Shape& key = shapes.size() > 2 ? shapes[2] : value;
  const auto refuse = [&](const std::string& problem) {
    throw ValueError(problem + " Received: query_shape=" + query.to_string() + ", value_shape=" + value.to_string() +
                     ", key_shape=" + key.to_string() + " (layer \"" + name() + "\")");
  };
  if (query.rank() < 2 || query.rank() != value.rank() || query.rank() != key.rank()) {
    refuse("The query, value and key must have the same number of dimensions, at least 2.");
  }
  for (int axis = 0; axis + 1 < query.rank(); ++axis) {
    if (!may_be_equal(value[axis], key[axis])) {
      refuse("All dimensions of value and key, except the last one, must be equal.");
    }
    if (axis + 2 < query.rank() && !may_be_equal(query[axis], value[axis])) {
      refuse("All dimensions of query and value before the last two must be equal.");
    }
  }
  const bool is_repeated = broadcasts() && (query.at(-1) == 1 || key.at(-1) == 1);
  if (!is_repeated && !may_be_equal(query.at(-1), key.at(-1))) {
    refuse("The last dimensions of query and key must be equal.");
  }
  if (masks.is_none()) return;
  const auto require_mask = [&](std::size_t i, const Shape& steps, const char* what) {
    if (masks.list()[i].is_none()) return;
    const Shape mask = shape_of_argument(masks.list()[i]);
    bool fits = mask.rank() == steps.rank() || (i == 1 && mask.rank() == query.rank());
    for (int axis = 1; fits && axis <= std::min(mask.rank(), steps.rank()); ++axis) {
      // A mask of pairs has the queries before the keys.
      const std::int64_t expected =
          mask.rank() == steps.rank() ? steps.at(-axis) : (axis == 1 ? value.at(-2) : query.at(-axis));
      fits = mask.at(-axis) == 1 || may_be_equal(mask.at(-axis), expected);
    }
    if (!fits) {
      refuse("The mask of the " + std::string(what) + " has the shape " + mask.to_string() + ", expected " +
             steps.to_string() + ".");
    }
  };
  require_mask(0, query.slice(0, query.rank() - 1), "query");
  require_mask(1, value.slice(0, value.rank() - 1), "value");
}

std::vector<TensorSpec> BaseAttentionImpl::infer_outputs(const BoundArguments& arguments) {
  check_arguments(arguments);
  std::vector<Shape> shapes;
  for (const Argument& input : arguments.first().list()) shapes.push_back(shape_of_argument(input));
  check_shapes(shapes, arguments["mask"]);
  const Shape steps = shapes[0].slice(0, shapes[0].rank() - 1);
  std::vector<TensorSpec> specs = {{steps.concatenate({shapes[1].at(-1)}), compute_dtype()}};
  if (arguments.boolean("return_attention_scores", false)) {
    specs.push_back({steps.concatenate({shapes.back().at(-2)}), compute_dtype()});
  }
  return specs;
}

// --- The call

bool BaseAttentionImpl::drops(bool training) const {
  if (!training || !(dropout_ > 0)) return false;
  if (dropout_ <= 1) return true;
  throw ValueError("The argument `dropout` of layer \"" + name() +
                   "\" must be a number from 0 to 1. Received: dropout=" + io::Json(dropout_).dump());
}

std::vector<Tensor> BaseAttentionImpl::call_with(const BoundArguments& arguments, bool training) {
  check_arguments(arguments);
  const std::vector<Tensor> inputs = arguments.tensors("inputs");
  std::vector<Shape> shapes;
  for (const Tensor& input : inputs) shapes.push_back(input.shape());
  check_inputs(shapes);
  check_shapes(shapes, arguments["mask"]);
  const Tensor query = to_compute_dtype(inputs[0]);
  const Tensor value = to_compute_dtype(inputs[1]);
  const Tensor key = inputs.size() > 2 ? to_compute_dtype(inputs[2]) : value;
  const Tensor query_mask = mask_at(arguments["mask"], 0);
  const Tensor value_mask = of_pairs(mask_at(arguments["mask"], 1));
  const bool is_causal = arguments.boolean("use_causal_mask", false);
  const bool with_scores = arguments.boolean("return_attention_scores", false);

  // Where a mask hides all keys of a query, Keras's gradients reach query and keys: they are hidden by a large number.
  const bool is_composed = with_scores || !value_mask.is_empty() || query.rank() != 3 || dropout_ >= 1;
  const Tensor scaled = is_composed ? Tensor() : scaled_query(query);
  std::vector<Tensor> results = scaled.is_empty() ? composed(query, key, value, value_mask, is_causal, training)
                                                  : std::vector<Tensor>{fused(scaled, key, value, is_causal, training)};
  if (!query_mask.is_empty()) results[0] = where(expand_dims(query_mask, -1), results[0], 0.0);
  if (!with_scores) results.resize(1);
  return results;
}

Tensor BaseAttentionImpl::fused(const Tensor& query, const Tensor& key, const Tensor& value, bool is_causal,
                                bool training) const {
  // As attention of one head.
  AttentionTensors tensors{.query = expand_dims(query, 2), .key = expand_dims(key, 2), .value = expand_dims(value, 2)};
  AttentionAttributes attributes{.scale = 1, .is_causal = is_causal};
  if (drops(training)) {
    attributes.dropout = {.rate = dropout_, .key = dropout_mask_key, .first_sample = first_sample_of(query)};
    tensors.draw = next_dropout_draw(state_);
  }
  return squeeze(attention(tensors, attributes), {2});
}

std::vector<Tensor> BaseAttentionImpl::composed(const Tensor& query, const Tensor& key, const Tensor& value,
                                                const Tensor& mask, bool is_causal, bool training) const {
  Tensor scores = scores_of(query, key);
  Tensor visible = mask;
  if (is_causal) {
    const Tensor causal = expand_dims(causal_mask(query.shape().at(-2), key.shape().at(-2)), 0);
    visible = visible.is_empty() ? causal : logical_and(visible, causal);
  }
  if (!visible.is_empty()) {
    // Those of Keras.
    const double lowered = scores.dtype() == DType::float16 ? 65504.0 : 1e9;
    scores = where(visible, scores, subtract(scores, lowered));
  }
  Tensor weights = softmax(scores, -1);
  if (drops(training)) {
    const Tensor draw = next_dropout_draw(state_);
    weights = dropout_ == 1 ? zeros_like(weights)
                            : multiply(weights, dropout_factors(stop_gradient(weights), dropout_, dropout_mask_key,
                                                                draw, first_sample_of(query)));
  }
  return {matmul(weights, value), weights};
}

std::vector<Tensor> BaseAttentionImpl::compute_mask(const std::vector<Tensor>& /*inputs*/,
                                                    const std::vector<Tensor>& masks) const {
  if (masks.empty() || masks.front().is_empty()) return {};
  return {masks.front()};
}

}  // namespace rhyton::layers
