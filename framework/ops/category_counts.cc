#include <rhyton/framework/ops/category_counts.h>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/attribute_text.h>
#include <rhyton/framework/ops/broadcasting.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/indexing.h>

namespace rhyton {
inline namespace ops {

std::vector<TensorSpec> CategoryCountsOp::infer(std::span<const TensorSpec> inputs) const {
  const TensorSpec& categories = inputs[0];
  if (categories.dtype != DType::int32 && categories.dtype != DType::int64 && categories.dtype != DType::uint8) {
    throw InvalidArgumentError("Value for attr 'Tidx' of " + std::string(message_name_of(categories.dtype)) +
                               " is not in the list of allowed values: int32, int64 [Op:DenseBincount]");
  }
  if (categories.shape.rank() == 0) {
    throw InvalidArgumentError("Shape must be at least rank 1 but is rank 0 [Op:DenseBincount]");
  }
  if (depth < 0) {
    throw InvalidArgumentError("size must be non-negative, but got " + std::to_string(depth) + " [Op:DenseBincount]");
  }
  if (inputs.size() > 1 && !(inputs[1].shape == categories.shape)) {
    throw InvalidArgumentError(
        "`weights` must be the same shape as `arr` or a length-0 `Tensor`, in which case it acts as all weights equal "
        "to 1. Received " +
        bracketed(inputs[1].shape) + " [Op:DenseBincount]");
  }
  return {{categories.shape.with(categories.shape.rank() - 1, depth), dtype}};
}

std::vector<Tensor> CategoryCountsOp::gradient(const GradientArguments& arguments) const {
  if (arguments.inputs.size() == 1) return {Tensor()};
  const Tensor& dy = arguments.output_gradients[0];
  if (!arguments.needed[1] || dy.is_empty()) return {Tensor(), Tensor()};
  const Tensor& categories = arguments.inputs[0];
  if (depth == 0) return {Tensor(), zeros_like(arguments.inputs[1])};
  const Tensor wide = cast(categories, DType::int64);
  const Tensor is_counted = logical_and(greater_equal(wide, 0), less(wide, depth));
  const Tensor taken = take_along_axis(dy, minimum(maximum(wide, 0), depth - 1), -1);
  return {Tensor(), where(is_counted, taken, Tensor::zeros({}, dtype))};
}

BatchRule CategoryCountsOp::batch_rule(std::span<const TensorSpec> inputs, std::span<const int> batch_axes) const {
  if (batch_axes.size() > 1 && batch_axes[0] != batch_axes[1]) return BatchRule::mixes();
  if (batch_axes[0] < inputs[0].shape.rank() - 1) return BatchRule::maps(batch_axes[0]);
  return counting == CategoryCounting::occurrences ? BatchRule::sums() : BatchRule::mixes();
}

std::string CategoryCountsOp::attributes() const {
  return attribute("size", depth) + ", " + attribute("dtype", dtype) + ", " +
         attribute("binary_output", counting == CategoryCounting::presence) + ", " +
         attribute("refuses_negative", negative == NegativeCategories::refused);
}

Tensor category_counts(const Tensor& categories, std::int64_t depth, DType dtype, CategoryCounting counting,
                       NegativeCategories negative) {
  return call<CategoryCountsOp>({categories}, depth, dtype, counting, negative);
}

Tensor weighted_category_counts(const Tensor& categories, const Tensor& weights, std::int64_t depth,
                                NegativeCategories negative) {
  return call<CategoryCountsOp>({categories, weights}, depth, weights.dtype(), CategoryCounting::occurrences, negative);
}

}  // namespace ops
}  // namespace rhyton
