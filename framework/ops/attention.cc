#include <rhyton/framework/ops/attention.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include <rhyton/framework/device/device_scope.h>
#include <rhyton/framework/ops/attribute_text.h>
#include <rhyton/framework/ops/broadcasting.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/placement.h>
#include <rhyton/framework/ops/promotion.h>
#include <rhyton/framework/ops/shaping.h>

namespace rhyton {
inline namespace ops {
namespace {

constexpr std::string_view scores_axes = "[batch, heads, queries, keys]";

std::size_t at(int position) { return static_cast<std::size_t>(position); }

/// The positions of the optional inputs, from `first` on.
void place_optional(const OptionalAttentionInputs& options, int first, AttentionOperands& operands) {
  if (options.has_bias) operands.bias = first++;
  if (options.has_mask) operands.mask = first++;
  if (options.has_draw) operands.draw = first++;
}

/// float32 for half types.
DType dtype_of_sums(DType dtype) { return is_half(dtype) ? DType::float32 : dtype; }

Shape shape_of_sums(std::span<const TensorSpec> inputs) {
  const Shape& query = inputs[0].shape;
  return {query[0], query[2], query[1], 2};
}

/// Pairs of a query of a head with a key.
double pairs_of(std::span<const TensorSpec> inputs) {
  const Shape& query = inputs[0].shape;
  return static_cast<double>(query[0] * query[1] * query[2]) * static_cast<double>(inputs[1].shape[1]);
}

Shape shape_of_output(std::span<const TensorSpec> inputs) {
  const Shape& query = inputs[0].shape;
  return {query[0], query[1], query[2], inputs[2].shape[3]};
}

Tensor with_rank_4(Tensor x, std::string_view what) {
  if (x.is_empty()) return x;
  if (x.rank() > 4) {
    throw ValueError("Argument `" + std::string(what) + "` must broadcast to " + std::string(scores_axes) +
                     ". Received: shape=" + x.shape().to_string());
  }
  while (x.rank() < 4) x = expand_dims(x, 0);
  return x;
}

}  // namespace

// --- What both ops share

std::string AttentionBaseOp::attributes() const {
  return attribute("scale", attention.scale) + ", " + attribute("is_causal", attention.is_causal) + ", " +
         attribute("soft_cap", attention.soft_cap) + ", " +
         attribute("zero_where_hidden", attention.zero_where_hidden) + ", " +
         attribute("rate", attention.dropout.rate) + ", " + attribute("key", attention.dropout.key) + ", " +
         attribute("first_sample", attention.dropout.first_sample) + ", " + attribute("has_bias", options.has_bias) +
         ", " + attribute("has_mask", options.has_mask) + ", " + attribute("has_draw", options.has_draw);
}

void AttentionBaseOp::check(std::span<const TensorSpec> inputs) const {
  const auto refuse = [&](const std::string& problem) {
    throw InvalidArgumentError(problem + " [Op:" + std::string(name()) + "]");
  };
  const Shape& query = inputs[0].shape;
  const Shape& key = inputs[1].shape;
  const Shape& value = inputs[2].shape;
  if (query.rank() != 4 || key.rank() != 4 || value.rank() != 4) {
    refuse("Expected query, key and value of rank 4, but got " + bracketed(query) + ", " + bracketed(key) + " and " +
           bracketed(value));
  }
  if (query[0] != key[0] || query[3] != key[3] || value.slice(0, 3) != key.slice(0, 3)) {
    refuse("Incompatible shapes of query, key and value: " + bracketed(query) + ", " + bracketed(key) + " and " +
           bracketed(value));
  }
  if (key[2] == 0 ? query[2] != 0 : query[2] % key[2] != 0) {
    refuse("The number of heads of the key must divide that of the query, but got " + bracketed(key) + " and " +
           bracketed(query));
  }
  const AttentionOperands position = operands();
  const Shape scores = {query[0], query[2], query[1], key[1]};
  const DType dtype = inputs[0].dtype;
  if (!is_floating(dtype)) {
    refuse("Expected tensors of a floating dtype, but got " + std::string(message_name_of(dtype)));
  }
  for (std::size_t i = 1; i < inputs.size(); ++i) {
    const int input = static_cast<int>(i);
    DType expected = dtype;
    if (input == position.mask) expected = DType::bool_;
    if (input == position.draw) expected = DType::int64;
    if (input == position.sums) expected = dtype_of_sums(dtype);
    require_dtype(name(), inputs, i, expected);
  }
  for (const int input : {position.bias, position.mask}) {
    if (input < 0) continue;
    const Shape& shape = inputs[at(input)].shape;
    bool fits = shape.rank() == 4;
    for (int axis = 0; axis < 4 && fits; ++axis) fits = shape[axis] == 1 || shape[axis] == scores[axis];
    if (!fits) {
      refuse(std::string(input == position.mask ? "A mask" : "A bias") + " of shape " + bracketed(shape) +
             " does not broadcast to " + std::string(scores_axes) + " = " + bracketed(scores));
    }
  }
  const auto require = [&](int input, std::string_view what, const Shape& expected) {
    if (input < 0 || inputs[at(input)].shape == expected) return;
    refuse("Expected " + std::string(what) + " of shape " + bracketed(expected) + ", but got " +
           bracketed(inputs[at(input)].shape));
  };
  require(position.output, "a result", shape_of_output(inputs));
  require(position.gradient, "a gradient", shape_of_output(inputs));
  require(position.sums, "sums", shape_of_sums(inputs));
  require(position.draw, "the number of a draw", {});
}

// Bias and mask may be the same for all samples.
BatchRule AttentionBaseOp::batch_rule(std::span<const TensorSpec> inputs, std::span<const int> batch_axes) const {
  const AttentionOperands position = operands();
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const int input = static_cast<int>(i);
    const bool is_shared = input == position.draw || ((input == position.bias || input == position.mask) &&
                                                      inputs[i].shape[0] == 1 && batch_axes[i] < 0);
    if (batch_axes[i] != (is_shared ? -1 : 0)) return BatchRule::mixes();
  }
  return BatchRule::maps(0);
}

// --- Attention

AttentionOperands AttentionOp::operands() const {
  AttentionOperands result;
  place_optional(options, 3, result);
  return result;
}

std::vector<TensorSpec> AttentionOp::infer(std::span<const TensorSpec> inputs) const {
  check(inputs);
  return {{shape_of_output(inputs), inputs[0].dtype}, {shape_of_sums(inputs), dtype_of_sums(inputs[0].dtype)}};
}

// Two products: of the size of a head and of that of a value for each pair of positions.
double AttentionOp::flops(std::span<const TensorSpec> inputs, std::span<const TensorSpec>) const {
  const Shape& query = inputs[0].shape;
  const double pairs = pairs_of(inputs);
  return 2.0 * pairs * static_cast<double>(query[3] + inputs[2].shape[3]) * (attention.is_causal ? 0.5 : 1.0);
}

std::vector<Tensor> AttentionOp::gradient(const GradientArguments& arguments) const {
  const AttentionOperands position = operands();
  const bool bias_needed = position.bias >= 0 && arguments.needed[at(position.bias)];
  if (bias_needed || !arguments.output_gradients[1].is_empty()) return composed_gradient(arguments);
  std::vector<Tensor> gradients(arguments.inputs.size());
  if (arguments.output_gradients[0].is_empty()) return gradients;
  std::vector<Tensor> operands(arguments.inputs.begin(), arguments.inputs.begin() + 3);
  operands.push_back(arguments.outputs[0]);
  operands.push_back(arguments.outputs[1]);
  operands.push_back(arguments.output_gradients[0]);
  operands.insert(operands.end(), arguments.inputs.begin() + 3, arguments.inputs.end());
  const std::vector<Tensor> results =
      rhyton::apply(std::make_shared<const AttentionGradOp>(attention, options), operands);
  for (std::size_t i = 0; i < 3; ++i) {
    if (arguments.needed[i]) gradients[i] = results[i];
  }
  return gradients;
}

// --- Its gradient

AttentionOperands AttentionGradOp::operands() const {
  AttentionOperands result;
  result.output = 3;
  result.sums = 4;
  result.gradient = 5;
  place_optional(options, 6, result);
  return result;
}

std::vector<TensorSpec> AttentionGradOp::infer(std::span<const TensorSpec> inputs) const {
  check(inputs);
  return {inputs[0], inputs[1], inputs[2]};
}

// The scores once more, and the gradients of scores, values, queries and keys.
double AttentionGradOp::flops(std::span<const TensorSpec> inputs, std::span<const TensorSpec>) const {
  const double pairs = pairs_of(inputs);
  const double sizes = static_cast<double>(3 * inputs[0].shape[3] + 2 * inputs[2].shape[3]);
  return 2.0 * pairs * sizes * (attention.is_causal ? 0.5 : 1.0);
}

// --- The functions

Tensor attention(const AttentionTensors& tensors, const AttentionAttributes& attributes) {
  const OptionalAttentionInputs options = {
      .has_bias = !tensors.bias.is_empty(), .has_mask = !tensors.mask.is_empty(), .has_draw = !tensors.draw.is_empty()};
  std::vector<Tensor> inputs = {tensors.query, tensors.key, tensors.value};
  for (const Tensor& tensor : {tensors.bias, tensors.mask, tensors.draw}) {
    if (!tensor.is_empty()) inputs.push_back(tensor);
  }
  const auto op = std::make_shared<const AttentionOp>(attributes, options);
  std::vector<TensorSpec> specs;
  for (const Tensor& input : inputs) specs.push_back(input.spec());
  op->infer(specs);
  if (!current_device().is_host() && place(*op, specs).device->is_host()) {
    return composed_attention(tensors, attributes).output;
  }
  return rhyton::apply(op, inputs)[0];
}

Tensor dot_product_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                             const DotProductAttentionOptions& options) {
  if (query.rank() != 4 || key.rank() != 4 || value.rank() != 4) {
    throw ValueError(
        "`dot_product_attention` only supports 4D inputs. Received: query.shape=" + query.shape().to_string() +
        ", key.shape=" + key.shape().to_string() + ", value.shape=" + value.shape().to_string() + ".");
  }
  const DType dtype = floating_result_type(result_type(result_type(query.dtype(), key.dtype()), value.dtype()));
  AttentionAttributes attributes;
  const auto size = static_cast<double>(std::max<std::int64_t>(key.shape()[3], 1));
  attributes.scale = options.scale.value_or(1 / std::sqrt(size));
  attributes.is_causal = options.is_causal;
  attributes.soft_cap = options.attn_logits_soft_cap.value_or(0);
  AttentionTensors tensors = {.query = cast(query, dtype), .key = cast(key, dtype), .value = cast(value, dtype)};
  if (!options.bias.is_empty()) tensors.bias = with_rank_4(cast(options.bias, dtype), "bias");
  if (!options.mask.is_empty()) tensors.mask = with_rank_4(cast(options.mask, DType::bool_), "mask");
  return attention(tensors, attributes);
}

}  // namespace ops
}  // namespace rhyton
