#include <algorithm>

#include <rhyton/framework/ops/attribute_text.h>
#include <rhyton/framework/ops/broadcasting.h>
#include <rhyton/framework/ops/promotion.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/framework/tensor/checked_arithmetic.h>

namespace rhyton {
inline namespace ops {
namespace {

std::size_t at(int axis) { return static_cast<std::size_t>(axis); }

void require_entries(std::string_view what, std::size_t entries, const Tensor& x) {
  if (entries == static_cast<std::size_t>(x.rank())) return;
  throw InvalidArgumentError("Expected " + std::string(what) + " to have one entry for each of the " +
                             std::to_string(x.rank()) + " axes, but got " + std::to_string(entries));
}

/// The length of `size` elements that are `step` apart.
std::int64_t spread(std::int64_t size, std::int64_t step) {
  return size == 0 ? 0 : checked_add<std::int64_t>(checked_multiply(size - 1, step), 1);
}

}  // namespace

// --- Concatenation

std::vector<TensorSpec> ConcatenateOp::infer(std::span<const TensorSpec> inputs) const {
  require_same_dtype(name(), inputs);
  TensorSpec result = inputs[0];
  for (std::size_t i = 1; i < inputs.size(); ++i) {
    const Shape& shape = inputs[i].shape;
    if (shape.rank() != result.shape.rank() || !(shape.with(axis, 0) == result.shape.with(axis, 0))) {
      throw InvalidArgumentError(
          "ConcatOp : Dimension of inputs should match: shape[0] = " + bracketed(inputs[0].shape) + " vs. shape[" +
          std::to_string(i) + "] = " + bracketed(shape) + " [Op:ConcatV2]");
    }
    result.shape[axis] = checked_add(result.shape[axis], shape[axis]);
  }
  return {result};
}

std::vector<Tensor> ConcatenateOp::gradient(const GradientArguments& arguments) const {
  std::vector<Tensor> gradients;
  std::int64_t begin = 0;
  for (std::size_t i = 0; i < arguments.inputs.size(); ++i) {
    const std::int64_t length = arguments.inputs[i].shape()[axis];
    gradients.push_back(arguments.needed[i] ? slice_axis(arguments.output_gradients[0], axis, begin, begin + length)
                                            : Tensor());
    begin += length;
  }
  return gradients;
}

BatchRule ConcatenateOp::batch_rule(std::span<const TensorSpec>, std::span<const int> batch_axes) const {
  const int batch = batch_axes[0];
  const bool all_carry = std::all_of(batch_axes.begin(), batch_axes.end(), [&](int other) { return other == batch; });
  return all_carry && batch != axis ? BatchRule::maps(batch) : BatchRule::mixes();
}

std::string ConcatenateOp::attributes() const { return attribute("axis", axis); }

static std::vector<Tensor> of_one_dtype(const std::vector<Tensor>& tensors) {
  DType dtype = tensors.front().dtype();
  for (const Tensor& tensor : tensors) dtype = result_type(dtype, tensor.dtype());
  std::vector<Tensor> result;
  result.reserve(tensors.size());
  for (const Tensor& tensor : tensors) result.push_back(cast(tensor, dtype));
  return result;
}

Tensor concatenate(const std::vector<Tensor>& tensors, int axis) {
  if (tensors.empty()) throw ValueError("concatenate needs at least one tensor.");
  const int position = normalize_axis(axis, tensors[0].rank());
  if (tensors.size() == 1) return tensors[0];
  return apply_single(std::make_shared<const ConcatenateOp>(position), of_one_dtype(tensors));
}

Tensor stack(const std::vector<Tensor>& tensors, int axis) {
  if (tensors.empty()) throw ValueError("stack needs at least one tensor.");
  const int position = normalize_axis(axis, tensors[0].rank() + 1);
  std::vector<Tensor> expanded;
  for (const Tensor& tensor : tensors) {
    if (!(tensor.shape() == tensors[0].shape())) {
      throw InvalidArgumentError("Shapes of all inputs must match: values[0].shape = " + bracketed(tensors[0].shape()) +
                                 " != values[" + std::to_string(expanded.size()) +
                                 "].shape = " + bracketed(tensor.shape()) + " [Op:Pack]");
    }
    expanded.push_back(expand_dims(tensor, position));
  }
  return concatenate(expanded, position);
}

// --- Splits

std::vector<TensorSpec> SplitOp::infer(std::span<const TensorSpec> inputs) const {
  std::vector<TensorSpec> outputs;
  std::int64_t total = 0;
  for (const std::int64_t length : lengths) {
    outputs.push_back({inputs[0].shape.with(axis, length), inputs[0].dtype});
    total = checked_add(total, length);
  }
  if (total != inputs[0].shape[axis]) {
    throw InvalidArgumentError("Determined shape must match the shape of the split dimension: the lengths add up to " +
                               std::to_string(total) + " instead of " + std::to_string(inputs[0].shape[axis]) +
                               " [Op:SplitV]");
  }
  return outputs;
}

std::vector<Tensor> SplitOp::gradient(const GradientArguments& arguments) const {
  const Tensor& x = arguments.inputs[0];
  std::vector<Tensor> parts(arguments.output_gradients.begin(), arguments.output_gradients.end());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    // Zeros that follow the batch, which plain ones would not.
    if (parts[i].is_empty()) parts[i] = broadcast_like(Tensor::zeros({}, x.dtype()), arguments.outputs[i]);
  }
  return {concatenate(parts, axis)};
}

BatchRule SplitOp::batch_rule(std::span<const TensorSpec>, std::span<const int> batch_axes) const {
  return batch_axes[0] == axis ? BatchRule::mixes() : BatchRule::maps(batch_axes[0]);
}

std::string SplitOp::attributes() const { return attribute("axis", axis) + ", " + attribute("lengths", lengths); }

static std::vector<Tensor> split_in(const Tensor& x, int axis, std::vector<std::int64_t> lengths) {
  if (lengths.size() == 1) return {x.without_mask()};
  return call_many<SplitOp>({x}, axis, std::move(lengths));
}

std::vector<Tensor> split(const Tensor& x, int sections, int axis) {
  const int position = normalize_axis(axis, x.rank());
  const std::int64_t length = x.shape()[position];
  if (sections < 1 || length % sections != 0) {
    throw InvalidArgumentError("Number of ways to split should evenly divide the split dimension, but got split_dim " +
                               std::to_string(axis) + " (size = " + std::to_string(length) + ") and num_split " +
                               std::to_string(sections) + " [Op:Split]");
  }
  return split_in(x, position, std::vector<std::int64_t>(static_cast<std::size_t>(sections), length / sections));
}

std::vector<Tensor> split(const Tensor& x, const std::vector<std::int64_t>& indices, int axis) {
  const int position = normalize_axis(axis, x.rank());
  const std::int64_t end = x.shape()[position];
  std::vector<std::int64_t> lengths;
  std::int64_t begin = 0;
  for (const std::int64_t index : indices) {
    if (index < begin || index > end) {
      throw InvalidArgumentError(
          "The positions of a split must be in ascending order between 0 and the length of axis " +
          std::to_string(position) + ", " + std::to_string(end) +
          ". Received: " + attribute("indices_or_sections", indices) + " [Op:SplitV]");
    }
    lengths.push_back(index - begin);
    begin = index;
  }
  lengths.push_back(end - begin);
  return split_in(x, position, std::move(lengths));
}

std::vector<Tensor> split(const Tensor& x, std::initializer_list<std::int64_t> indices, int axis) {
  return split(x, std::vector<std::int64_t>(indices), axis);
}

std::vector<Tensor> unstack(const Tensor& x, int axis) {
  const int position = normalize_axis(axis, x.rank());
  if (x.shape()[position] == 0) return {};
  const Shape shape = x.shape().slice(0, position).concatenate(x.shape().slice(position + 1, x.rank()));
  const auto lengths = std::vector<std::int64_t>(static_cast<std::size_t>(x.shape()[position]), 1);
  std::vector<Tensor> parts;
  for (const Tensor& part : split_in(x, position, lengths)) parts.push_back(reshape(part, shape));
  return parts;
}

// --- Slices and borders

std::vector<TensorSpec> SliceOp::infer(std::span<const TensorSpec> inputs) const {
  const Shape& shape = inputs[0].shape;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    const std::size_t i = at(axis);
    const bool is_negative = begin[i] < 0 || sizes[i] < 0;
    if (is_negative || checked_add(begin[i], spread(sizes[i], steps[i])) > shape[axis]) {
      throw InvalidArgumentError("Expected size[" + std::to_string(axis) + "] in [0, " +
                                 std::to_string(shape[axis] - begin[i]) + "], but got " + std::to_string(sizes[i]) +
                                 " [Op:Slice]");
    }
  }
  return {{Shape(std::span<const std::int64_t>(sizes)), inputs[0].dtype}};
}

std::vector<Tensor> SliceOp::gradient(const GradientArguments& arguments) const {
  const Shape& shape = arguments.inputs[0].shape();
  std::vector<std::int64_t> after(sizes.size());
  for (int axis = 0; axis < shape.rank(); ++axis) {
    const std::size_t i = at(axis);
    after[i] = shape[axis] - begin[i] - spread(sizes[i], steps[i]);
  }
  return {call<PadOp>({arguments.output_gradients[0]}, begin, after, steps, 0.0)};
}

BatchRule SliceOp::batch_rule(std::span<const TensorSpec> inputs, std::span<const int> batch_axes) const {
  const std::size_t i = at(batch_axes[0]);
  const bool whole = begin[i] == 0 && steps[i] == 1 && sizes[i] == inputs[0].shape[batch_axes[0]];
  return whole ? BatchRule::maps(batch_axes[0]) : BatchRule::mixes();
}

std::string SliceOp::attributes() const {
  return attribute("begin", begin) + ", " + attribute("sizes", sizes) + ", " + attribute("steps", steps);
}

std::vector<TensorSpec> PadOp::infer(std::span<const TensorSpec> inputs) const {
  TensorSpec result = inputs[0];
  for (int axis = 0; axis < result.shape.rank(); ++axis) {
    const std::size_t i = at(axis);
    if (before[i] < 0 || after[i] < 0) {
      throw InvalidArgumentError("Paddings must be non-negative: " + std::to_string(before[i]) + " " +
                                 std::to_string(after[i]) + " [Op:Pad]");
    }
    const std::int64_t middle = spread(result.shape[axis], steps[i]);
    result.shape[axis] = checked_add(checked_add(before[i], middle), after[i]);
  }
  return {result};
}

std::vector<Tensor> PadOp::gradient(const GradientArguments& arguments) const {
  const Shape& shape = arguments.inputs[0].shape();
  return {call<SliceOp>({arguments.output_gradients[0]}, before, std::vector<std::int64_t>(shape.begin(), shape.end()),
                        steps)};
}

BatchRule PadOp::batch_rule(std::span<const TensorSpec>, std::span<const int> batch_axes) const {
  const std::size_t i = at(batch_axes[0]);
  const bool whole = before[i] == 0 && after[i] == 0 && steps[i] == 1;
  return whole ? BatchRule::maps(batch_axes[0]) : BatchRule::mixes();
}

std::string PadOp::attributes() const {
  return attribute("before", before) + ", " + attribute("after", after) + ", " + attribute("steps", steps) + ", " +
         attribute("value", value);
}

Tensor slice(const Tensor& x, const std::vector<std::int64_t>& begin, const std::vector<std::int64_t>& sizes) {
  require_entries("begin", begin.size(), x);
  require_entries("size", sizes.size(), x);
  std::vector<std::int64_t> full = sizes;
  for (int axis = 0; axis < x.rank(); ++axis) {
    if (full[at(axis)] == -1) full[at(axis)] = checked_subtract(x.shape()[axis], begin[at(axis)]);
  }
  return call<SliceOp>({x}, begin, full, std::vector<std::int64_t>(begin.size(), 1));
}

Tensor strided_slice(const Tensor& x, const std::vector<std::int64_t>& begin, const std::vector<std::int64_t>& end,
                     const std::vector<std::int64_t>& steps) {
  std::vector<std::int64_t> first(at(x.rank()), 0);
  std::vector<std::int64_t> sizes(x.shape().begin(), x.shape().end());
  std::vector<std::int64_t> strides(at(x.rank()), 1);
  if (begin.size() > first.size() || end.size() > first.size() || steps.size() > first.size()) {
    throw InvalidArgumentError("Index out of range using input dim " + std::to_string(x.rank()) + "; input has only " +
                               std::to_string(x.rank()) + " dims [Op:StridedSlice]");
  }
  bool everything = true;
  for (int axis = 0; axis < x.rank(); ++axis) {
    const std::size_t i = at(axis);
    const std::int64_t length = x.shape()[axis];
    const auto position = [&](std::int64_t given) {
      return std::clamp<std::int64_t>(given < 0 ? given + length : given, 0, length);
    };
    if (i < steps.size()) strides[i] = steps[i];
    if (strides[i] < 1) throw InvalidArgumentError("strides[" + std::to_string(axis) + "] must be at least 1");
    if (i < begin.size()) first[i] = position(begin[i]);
    const std::int64_t last = i < end.size() ? position(end[i]) : length;
    sizes[i] = last <= first[i] ? 0 : (last - first[i] - 1) / strides[i] + 1;
    everything = everything && sizes[i] == length;
  }
  return everything ? x.without_mask() : call<SliceOp>({x}, first, sizes, strides);
}

Tensor slice_axis(const Tensor& x, int axis, std::int64_t begin, std::int64_t end, std::int64_t step) {
  const std::size_t position = at(normalize_axis(axis, x.rank()));
  std::vector<std::int64_t> first(position + 1, 0);
  std::vector<std::int64_t> last(x.shape().begin(), x.shape().begin() + position + 1);
  std::vector<std::int64_t> steps(position + 1, 1);
  first[position] = begin;
  last[position] = end;
  steps[position] = step;
  return strided_slice(x, first, last, steps);
}

Tensor pad(const Tensor& x, const std::vector<std::pair<std::int64_t, std::int64_t>>& paddings, double value) {
  if (paddings.size() == 1 && x.rank() > 1) return pad(x, std::vector(at(x.rank()), paddings.front()), value);
  require_entries("paddings", paddings.size(), x);
  if (!is_floating(x.dtype()) && Tensor::full({}, value, x.dtype()).item() != value) {
    throw ValueError("pad cannot fill a tensor of " + std::string(name_of(x.dtype())) + " with " +
                     std::to_string(value));
  }
  std::vector<std::int64_t> before;
  std::vector<std::int64_t> after;
  for (const auto& [front, back] : paddings) {
    before.push_back(front);
    after.push_back(back);
  }
  return call<PadOp>({x}, before, after, std::vector<std::int64_t>(paddings.size(), 1), value);
}

}  // namespace ops
}  // namespace rhyton
