#include <rhyton/framework/ops/broadcasting.h>

#include <algorithm>

namespace rhyton {

std::string bracketed(const Shape& shape) {
  std::string text = "[";
  for (const std::int64_t length : shape) {
    if (text.size() > 1) text += ",";
    text += std::to_string(length);
  }
  return text + "]";
}

std::string_view message_name_of(DType dtype) {
  switch (dtype) {
    case DType::float32:
      return "float";
    case DType::float64:
      return "double";
    case DType::float16:
      return "half";
    default:
      return name_of(dtype);
  }
}

Shape broadcast_shapes(const Shape& a, const Shape& b) {
  const int rank = std::max(a.rank(), b.rank());
  Shape result;
  for (int axis = 0; axis < rank; ++axis) {
    const int in_a = axis - (rank - a.rank());
    const int in_b = axis - (rank - b.rank());
    const std::int64_t from_a = in_a < 0 ? 1 : a[in_a];
    const std::int64_t from_b = in_b < 0 ? 1 : b[in_b];
    if (from_a != from_b && from_a != 1 && from_b != 1) {
      throw InvalidArgumentError("Incompatible shapes: " + bracketed(a) + " vs. " + bracketed(b));
    }
    result.push_back(from_a == 1 ? from_b : from_a);
  }
  return result;
}

BatchRule broadcast_batch_rule(std::span<const TensorSpec> inputs, std::span<const int> batch_axes) {
  int rank = 0;
  for (const TensorSpec& input : inputs) rank = std::max(rank, input.shape.rank());

  int output_axis = -1;
  std::int64_t length = 0;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (batch_axes[i] < 0) continue;
    const int axis = batch_axes[i] + rank - inputs[i].shape.rank();
    const std::int64_t own = inputs[i].shape[batch_axes[i]];
    if (output_axis >= 0 && (axis != output_axis || own != length)) return BatchRule::mixes();
    output_axis = axis;
    length = own;
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (batch_axes[i] >= 0) continue;
    const int axis = output_axis - (rank - inputs[i].shape.rank());
    if (axis >= 0 && inputs[i].shape[axis] != 1) return BatchRule::mixes();
  }
  return BatchRule::maps(output_axis);
}

void require_same_dtype(std::string_view op, std::span<const TensorSpec> inputs, std::size_t first) {
  for (std::size_t i = first + 1; i < inputs.size(); ++i) require_dtype(op, inputs, i, inputs[first].dtype);
}

void require_dtype(std::string_view op, std::span<const TensorSpec> inputs, std::size_t position, DType expected) {
  const DType actual = inputs[position].dtype;
  if (actual == expected) return;
  throw InvalidArgumentError("cannot compute " + std::string(op) + " as input #" + std::to_string(position) +
                             "(zero-based) was expected to be a " + std::string(message_name_of(expected)) +
                             " tensor but is a " + std::string(message_name_of(actual)) +
                             " tensor [Op:" + std::string(op) + "]");
}

}  // namespace rhyton
