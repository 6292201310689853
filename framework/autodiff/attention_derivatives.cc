#include <cmath>
#include <cstddef>
#include <vector>

#include <rhyton/framework/autodiff/composed_gradient.h>
#include <rhyton/framework/ops/attention.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/matmul.h>
#include <rhyton/framework/ops/random.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/shaping.h>

// Derivatives of attention that store the scores: those with respect to a bias, and second ones.

namespace rhyton {
inline namespace ops {
namespace {

using Tensors = std::vector<Tensor>;

AttentionTensors tensors_of(const AttentionOperands& position, const Tensors& inputs) {
  const auto input = [&](int i) { return i < 0 ? Tensor() : inputs[static_cast<std::size_t>(i)]; };
  return {.query = input(position.query),
          .key = input(position.key),
          .value = input(position.value),
          .bias = input(position.bias),
          .mask = input(position.mask),
          .draw = input(position.draw)};
}

Tensor in_sums_dtype(const Tensor& x, const Tensor& sums) { return cast(x, sums.dtype()); }

/// [batch, positions, heads, size] -> [batch, key heads, heads per key head · positions, size].
Tensor grouped(const Tensor& x, std::int64_t key_heads) {
  const Shape& shape = x.shape();
  return reshape(transpose(x, {0, 2, 1, 3}), {shape[0], key_heads, shape[2] / key_heads * shape[1], shape[3]});
}

/// The gradients of query, key and value. The queries of all heads that share a key are rows of one matrix.
Tensors composed_gradients(const AttentionGradOp& op, const Tensors& inputs) {
  const AttentionOperands position = op.operands();
  const AttentionTensors tensors = tensors_of(position, inputs);
  const Tensor& sums = inputs[static_cast<std::size_t>(position.sums)];
  const Tensor output = in_sums_dtype(inputs[static_cast<std::size_t>(position.output)], sums);
  const Tensor gradient = in_sums_dtype(inputs[static_cast<std::size_t>(position.gradient)], sums);
  const Shape& query_shape = tensors.query.shape();
  const std::int64_t keys = tensors.key.shape()[1];
  const std::int64_t key_heads = tensors.key.shape()[2];
  const std::int64_t queries = query_shape[1];
  const std::int64_t heads = query_shape[2];
  if (query_shape.size() == 0 || keys == 0) {
    return {zeros_like(tensors.query), zeros_like(tensors.key), zeros_like(tensors.value)};
  }

  AttentionTensors without_bias = tensors;
  without_bias.bias = Tensor();
  const Tensor limited = attention_scores(without_bias, op.attention);
  const Tensor scores = tensors.bias.is_empty() ? limited : limited + in_sums_dtype(tensors.bias, sums);
  const Tensor visible = attention_visibility(tensors, op.attention);
  const Tensor largest = stop_gradient(slice_axis(sums, 3, 0, 1));
  const Tensor sum_of_powers = slice_axis(sums, 3, 1, 2);
  const Tensor is_hidden = equal(sum_of_powers, 0.0);
  // Hidden scores may be infinite.
  const Tensor relative = visible.is_empty() ? scores - largest : where(visible, scores - largest, 0.0);
  Tensor probabilities = exp(relative) / where(is_hidden, 1.0, sum_of_powers);
  if (!visible.is_empty()) probabilities = where(visible, probabilities, 0.0);
  const Tensor of_visible = probabilities;
  if (!op.attention.zero_where_hidden) {
    probabilities = where(is_hidden, 1.0 / static_cast<double>(keys), probabilities);
  }
  Tensor factors;
  if (!tensors.draw.is_empty()) {
    const AttentionDropout& dropout = op.attention.dropout;
    factors =
        dropout_factors(stop_gradient(probabilities), dropout.rate, dropout.key, tensors.draw, dropout.first_sample);
  }

  const auto by_keys = [&](const Tensor& x) {  // [batch, heads, queries, keys] with the rows of a group together
    return reshape(x, {query_shape[0], key_heads, heads / key_heads * queries, keys});
  };
  const Tensor rows = grouped(gradient, key_heads);
  const Tensor value = transpose(in_sums_dtype(tensors.value, sums), {0, 2, 1, 3});
  const Tensor dropped = by_keys(factors.is_empty() ? probabilities : probabilities * factors);
  const Tensor dvalue = matmul(dropped, rows, true, false);
  Tensor dprobabilities = reshape(matmul(rows, value, false, true), scores.shape());
  if (!factors.is_empty()) dprobabilities = dprobabilities * factors;
  const Tensor delta = transpose(sum(gradient * output, {3}, true), {0, 2, 1, 3});
  Tensor dscores = where(is_hidden, 0.0, of_visible * (dprobabilities - delta));
  if (op.attention.soft_cap != 0) {
    const Tensor share = limited * (1 / op.attention.soft_cap);
    dscores = dscores * (1.0 - share * share);
  }
  dscores = by_keys(dscores * op.attention.scale);
  const Tensor dquery = matmul(dscores, transpose(in_sums_dtype(tensors.key, sums), {0, 2, 1, 3}));
  const Tensor dkey = matmul(dscores, grouped(in_sums_dtype(tensors.query, sums), key_heads), true, false);
  const auto by_positions = [&](const Tensor& x) { return cast(transpose(x, {0, 2, 1, 3}), tensors.query.dtype()); };
  return {by_positions(reshape(dquery, {query_shape[0], heads, queries, query_shape[3]})), by_positions(dkey),
          by_positions(dvalue)};
}

}  // namespace

std::vector<Tensor> AttentionOp::composed_gradient(const GradientArguments& arguments) const {
  return gradients_of_composition(arguments, [&](const Tensors& inputs) {
    const AttentionResult result = composed_attention(tensors_of(operands(), inputs), attention);
    return Tensors{result.output, result.sums};
  });
}

std::vector<Tensor> AttentionGradOp::gradient(const GradientArguments& arguments) const {
  return gradients_of_composition(arguments, [&](const Tensors& inputs) { return composed_gradients(*this, inputs); });
}

}  // namespace ops
}  // namespace rhyton
