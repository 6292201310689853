#include <rhyton/layers/merging/masked_merge.h>

#include <algorithm>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/shaping.h>

namespace rhyton::layers {
namespace {

/// The mask of a tensor in its shape; empty if it has none.
Tensor whole_mask(const Tensor& x) { return x.has_mask() ? broadcast_like(expand_dims(x.mask(), -1), x) : Tensor(); }

Tensor with_steps(const Tensor& result, const Tensor& mask) {
  return mask.is_empty() ? result : result.with_mask(any(mask, {-1}));
}

}  // namespace

bool has_mask(const std::vector<Tensor>& inputs) {
  return std::any_of(inputs.begin(), inputs.end(), [](const Tensor& input) { return input.has_mask(); });
}

Tensor multiply_unmasked(const std::vector<Tensor>& inputs) {
  const bool all_have_masks =
      std::all_of(inputs.begin(), inputs.end(), [](const Tensor& input) { return input.has_mask(); });
  Tensor product;
  Tensor joined_mask;
  for (const Tensor& input : inputs) {
    const Tensor mask = whole_mask(input);
    const Tensor x = mask.is_empty() ? input : where(mask, input, 1);
    if (all_have_masks) joined_mask = joined_mask.is_empty() ? mask : logical_or(joined_mask, mask);
    product = product.is_empty() ? x : multiply(product, x);
  }
  return all_have_masks ? with_steps(where(joined_mask, product, 0), joined_mask) : product;
}

Tensor merge_unmasked(const std::vector<Tensor>& inputs, MergeFunction function) {
  Tensor result = inputs.front();
  Tensor joined_mask = whole_mask(result);
  for (std::size_t i = 1; i < inputs.size(); ++i) {
    const Tensor mask = whole_mask(inputs[i]);
    const Tensor x = mask.is_empty() ? inputs[i] : where(mask, inputs[i], result);
    if (!joined_mask.is_empty()) result = where(joined_mask, result, x);
    joined_mask = mask.is_empty() || joined_mask.is_empty() ? Tensor() : logical_or(joined_mask, mask);
    result = function(result, x);
  }
  return with_steps(result, joined_mask);
}

}  // namespace rhyton::layers
