#include <cmath>
#include <limits>

#include <rhyton/framework/ops/attention.h>
#include <rhyton/framework/ops/elementwise.h>
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

Tensor attention_visibility(const AttentionTensors& tensors, const AttentionAttributes& attributes) {
  if (!attributes.is_causal) return tensors.mask;
  const Tensor queries = expand_dims(arange(tensors.query.shape()[1], DType::int64), 1);
  const Tensor keys = expand_dims(arange(tensors.key.shape()[1], DType::int64), 0);
  const Tensor causal = expand_dims(expand_dims(greater_equal(queries, keys), 0), 0);
  return tensors.mask.is_empty() ? causal : logical_and(tensors.mask, causal);
}

Tensor attention_dropout_factors(const Tensor& probabilities, const AttentionDropout& dropout, const Tensor& draw) {
  const Tensor numbers = random_uniform_like(stop_gradient(probabilities), dropout.key, draw, dropout.first_sample);
  return cast(greater_equal(numbers, dropout.rate), probabilities.dtype()) * (1 / (1 - dropout.rate));
}

AttentionResult composed_attention(const AttentionTensors& tensors, const AttentionAttributes& attributes) {
  Tensor scores = attention_scores(tensors, attributes);
  const Tensor visible = attention_visibility(tensors, attributes);
  if (!visible.is_empty()) {
    // Finite, so that the probabilities of a query without visible keys are those of equal scores.
    const double hidden =
        0.7 * (scores.dtype() == DType::float64 ? std::numeric_limits<double>::lowest()
                                                : static_cast<double>(std::numeric_limits<float>::lowest()));
    scores = where(visible, scores, hidden);
  }
  Tensor probabilities = softmax(scores);
  if (!visible.is_empty() && attributes.zero_where_hidden) probabilities = where(visible, probabilities, 0.0);
  if (!tensors.draw.is_empty()) {
    probabilities = probabilities * attention_dropout_factors(probabilities, attributes.dropout, tensors.draw);
  }
  const Tensor value = by_heads(in_float(tensors.value), tensors.query.shape()[2]);
  const Tensor output = transpose(matmul(probabilities, value), {0, 2, 1, 3});
  return {cast(output, tensors.query.dtype()), logsumexp(scores, {3})};
}

}  // namespace ops
}  // namespace rhyton
