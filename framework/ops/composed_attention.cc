#include <cmath>
#include <limits>

#include <rhyton/framework/ops/attention.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/extremum.h>
#include <rhyton/framework/ops/matmul.h>
#include <rhyton/framework/ops/random.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/sequences.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/framework/ops/softmax.h>

namespace rhyton {
inline namespace ops {
namespace {

/// [batch, positions, heads, size] as [batch, heads, positions, size], each head repeated.
Tensor by_heads(const Tensor& x, std::int64_t heads) {
  const std::int64_t own = x.shape()[2];
  const Tensor transposed = transpose(x, {0, 2, 1, 3});
  return own == heads ? transposed : repeat(transposed, heads / own, 1);
}

Tensor in_float(const Tensor& x) { return is_half(x.dtype()) ? cast(x, DType::float32) : x; }

}  // namespace

Tensor attention_scores(const AttentionTensors& tensors, const AttentionAttributes& attributes) {
  const std::int64_t heads = tensors.query.shape()[2];
  const Tensor query = by_heads(in_float(tensors.query), heads);
  const Tensor key = by_heads(in_float(tensors.key), heads);
  Tensor scores = matmul(query, key, false, true) * attributes.scale;
  if (attributes.soft_cap != 0) scores = tanh(scores * (1 / attributes.soft_cap)) * attributes.soft_cap;
  return tensors.bias.is_empty() ? scores : scores + in_float(tensors.bias);
}

Tensor causal_mask(std::int64_t queries, std::int64_t keys) {
  return greater_equal(expand_dims(arange(queries, DType::int64), 1), expand_dims(arange(keys, DType::int64), 0));
}

Tensor attention_visibility(const AttentionTensors& tensors, const AttentionAttributes& attributes) {
  Tensor visible = tensors.mask;
  if (!tensors.bias.is_empty()) {
    const Tensor by_bias = not_equal(stop_gradient(tensors.bias), -std::numeric_limits<double>::infinity());
    visible = visible.is_empty() ? by_bias : logical_and(visible, by_bias);
  }
  if (!attributes.is_causal) return visible;
  const Tensor causal = expand_dims(expand_dims(causal_mask(tensors.query.shape()[1], tensors.key.shape()[1]), 0), 0);
  return visible.is_empty() ? causal : logical_and(visible, causal);
}

AttentionResult composed_attention(const AttentionTensors& tensors, const AttentionAttributes& attributes) {
  const Shape& query = tensors.query.shape();
  if (tensors.key.shape()[1] == 0) {
    const DType dtype = is_half(tensors.query.dtype()) ? DType::float32 : tensors.query.dtype();
    return {Tensor::zeros(query.with(3, tensors.value.shape()[3]), tensors.query.dtype()),
            Tensor::zeros({query[0], query[2], query[1], 2}, dtype)};
  }
  Tensor scores = attention_scores(tensors, attributes);
  const Tensor visible = attention_visibility(tensors, attributes);
  if (!visible.is_empty()) {
    // A query without visible keys has equal scores.
    const Tensor hidden = where(any(visible, {3}, true), -std::numeric_limits<double>::infinity(), 0.0);
    scores = where(visible, scores, cast(hidden, scores.dtype()));
  }
  const Tensor largest = stop_gradient(reduce_max(scores, {3}, true));
  Tensor probabilities = softmax(scores);
  Tensor sum_of_powers = sum(exp(scores - largest), {3}, true);
  if (!visible.is_empty()) sum_of_powers = where(any(visible, {3}, true), sum_of_powers, 0.0);
  if (!visible.is_empty() && attributes.zero_where_hidden) probabilities = where(visible, probabilities, 0.0);
  if (!tensors.draw.is_empty()) {
    const AttentionDropout& dropout = attributes.dropout;
    probabilities = probabilities * dropout_factors(stop_gradient(probabilities), dropout.rate, dropout.key,
                                                    tensors.draw, dropout.first_sample);
  }
  const Tensor value = by_heads(in_float(tensors.value), query[2]);
  const Tensor output = transpose(matmul(probabilities, value), {0, 2, 1, 3});
  return {cast(output, tensors.query.dtype()), concatenate({largest, sum_of_powers}, 3)};
}

}  // namespace ops
}  // namespace rhyton
