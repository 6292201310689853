#include <rhyton/framework/ops/bitcast.h>

#include <cstdint>

#include <rhyton/framework/ops/attribute_text.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/tensor/checked_arithmetic.h>

namespace rhyton {
inline namespace ops {

Shape view_shape(const Shape& shape, DType from, DType to) {
  if ((from == DType::bool_) != (to == DType::bool_)) {
    throw TypeError("Cannot view array of dtype " + std::string(name_of(from)) + " as dtype " +
                    std::string(name_of(to)) + ": the bytes of bool are no numbers.");
  }
  const auto old_size = static_cast<std::int64_t>(size_of(from));
  const auto new_size = static_cast<std::int64_t>(size_of(to));
  if (old_size == new_size) return shape;
  if (shape.rank() == 0) {
    throw ValueError("Cannot view a scalar as a different dtype if item sizes are different.");
  }
  const std::int64_t last = shape.at(-1);
  if (last < 0) return shape;
  const std::int64_t bytes = checked_multiply(last, old_size);
  if (bytes % new_size != 0) {
    throw ValueError("Cannot view array of shape " + shape.to_string() + " and dtype " + std::string(name_of(from)) +
                     " as dtype " + std::string(name_of(to)) +
                     " because the total number of bytes is not divisible by the new itemsize.");
  }
  return shape.with(shape.rank() - 1, bytes / new_size);
}

Tensor view(const Tensor& x, std::optional<DType> dtype) {
  if (!dtype || *dtype == x.dtype()) return identity(x);
  return call<BitcastOp>({x}, *dtype);
}

std::vector<TensorSpec> BitcastOp::infer(std::span<const TensorSpec> inputs) const {
  return {{view_shape(inputs[0].shape, inputs[0].dtype, dtype), dtype}};
}

std::vector<Tensor> BitcastOp::gradient(const GradientArguments&) const { return {Tensor()}; }

BatchRule BitcastOp::batch_rule(std::span<const TensorSpec> inputs, std::span<const int> batch_axes) const {
  const bool keeps_last = size_of(inputs[0].dtype) == size_of(dtype);
  return batch_axes[0] < inputs[0].shape.rank() - 1 || keeps_last ? BatchRule::maps(batch_axes[0]) : BatchRule::mixes();
}

std::string BitcastOp::attributes() const { return attribute("dtype", dtype); }

}  // namespace ops
}  // namespace rhyton
