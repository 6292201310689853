#include <rhyton/models/losses/reduction.h>

#include <algorithm>
#include <cstdint>
#include <tuple>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/collectives.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/framework/ops/special_values.h>

namespace rhyton::losses {
namespace {

bool ends_in_one(const Tensor& x) { return x.rank() > 0 && x.shape().at(-1) == 1; }

/// Multiplication broadcasts from the right; weights per sample broadcast from the left.
Tensor times_weights(const Tensor& values, const Tensor& weights) {
  Tensor aligned = weights;
  while (aligned.rank() > 0 && aligned.rank() < values.rank()) aligned = expand_dims(aligned, aligned.rank());
  return values * aligned;
}

/// The number of samples of the whole batch per sample of this replica.
double of_whole_batch() {
  const ReplicaBatch* const part = part_of_batch();
  if (part == nullptr) return 1.0;
  return static_cast<double>(part->global_samples) / static_cast<double>(std::max<std::int64_t>(part->samples, 1));
}

/// Sums the totals of all replicas, so that the sum is over the whole batch.
Tensor sum_over_batch(const Tensor& total) {
  const ReplicaBatch* const part = part_of_batch();
  if (part == nullptr) return total;
  return all_reduce(part->is_empty() ? total * 0.0 : total);
}

}  // namespace

std::pair<Tensor, Tensor> squeeze_or_expand_to_same_rank(const Tensor& a, const Tensor& b) {
  if (a.rank() == b.rank() + 1 && ends_in_one(a)) {
    if (b.rank() == 1) return {a, expand_dims(b, -1)};
    return {squeeze(a, {-1}), b};
  }
  if (b.rank() == a.rank() + 1 && ends_in_one(b)) {
    if (a.rank() == 1) return {expand_dims(a, -1), b};
    return {a, squeeze(b, {-1})};
  }
  return {a, b};
}

void check_reduction(const std::string& reduction) {
  if (reduction == "sum_over_batch_size" || reduction == "sum" || reduction == "mean" ||
      reduction == "mean_with_sample_weight" || reduction == "none") {
    return;
  }
  throw ValueError(
      "Invalid value for argument `reduction`. Expected one of {'sum_over_batch_size', 'sum', None, 'none', 'mean', "
      "'mean_with_sample_weight'}. Received: reduction=" +
      reduction);
}

Tensor apply_mask(const Tensor& sample_weight, const Tensor& mask, DType dtype, const std::string& reduction) {
  if (mask.is_empty()) return sample_weight.is_empty() ? sample_weight : cast(sample_weight, dtype);
  Tensor mask_weight = cast(mask, dtype);
  if (reduction == "mean" || reduction == "sum_over_batch_size") {
    const Tensor total = Tensor::full({}, static_cast<double>(mask.size()) * of_whole_batch(), dtype);
    const Tensor weight_of_one = divide_no_nan(total, sum_over_batch(sum(mask_weight)));
    mask_weight = cast(cast(mask, DType::bool_), dtype) * weight_of_one;
  }
  if (sample_weight.is_empty()) return mask_weight;
  const auto [aligned_mask, aligned_weight] = squeeze_or_expand_to_same_rank(mask_weight, cast(sample_weight, dtype));
  return times_weights(aligned_mask, aligned_weight);
}

Tensor reduce_weighted_values(const Tensor& values, const Tensor& sample_weight, const Tensor& mask,
                              const std::string& reduction) {
  check_reduction(reduction);
  Tensor weighted = values;
  Tensor weight = apply_mask(sample_weight, mask, values.dtype(), reduction);
  if (!weight.is_empty()) {
    std::tie(weighted, weight) = squeeze_or_expand_to_same_rank(values, weight);
    weighted = times_weights(weighted, weight);
  }
  // A replica's loss is its part of the batch's loss, so that the sum over the replicas is the loss on one device.
  const ReplicaBatch* const part = part_of_batch();
  const double share = part == nullptr ? 1.0 : replica_share();
  if (weighted.rank() == 0) {
    if (part == nullptr || (reduction == "sum" && !part->is_empty())) return weighted;
    return weighted * share;
  }
  if (reduction == "none" || weighted.shape() == Shape{0}) return weighted;
  Tensor total = sum(weighted);
  if (part != nullptr && part->is_empty()) total = total * 0.0;
  if (reduction == "sum") return total;
  if (reduction == "mean_with_sample_weight" && !weight.is_empty()) {
    return divide_no_nan(total, sum_over_batch(sum(weight)));
  }
  const auto count = static_cast<double>(weighted.size());
  // With a constant factor the backward pass can start before the sum is known.
  return total * (count > 0 ? share / count : 0.0);
}

}  // namespace rhyton::losses
