#include <rhyton/framework/ops/indexed_slices.h>

#include <array>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/gather.h>

namespace rhyton {
inline namespace ops {

std::vector<SparseGradient> without_slices(const std::vector<Tensor>& gradients) {
  std::vector<SparseGradient> result;
  result.reserve(gradients.size());
  for (const Tensor& gradient : gradients) result.push_back({.sum = gradient});
  return result;
}

std::vector<IndexedSlices> mapped(const std::vector<IndexedSlices>& slices,
                                  threading::FunctionRef<Tensor(const Tensor&)> function) {
  std::vector<IndexedSlices> result;
  result.reserve(slices.size());
  for (const auto& [values, indices] : slices) result.push_back({function(values), indices});
  return result;
}

Tensor sum_of_slices(const std::vector<IndexedSlices>& slices, const Tensor& table) {
  const GatherOp lookup(0);
  const std::vector<bool> needed{true, false};
  Tensor sum;
  for (const auto& [values, indices] : slices) {
    const std::array<Tensor, 2> inputs{table, indices};
    const Tensor part = lookup.gradient({inputs, {}, std::span(&values, 1), needed}).front();
    sum = sum.is_empty() ? part : add(sum, part);
  }
  return sum;
}

}  // namespace ops
}  // namespace rhyton
