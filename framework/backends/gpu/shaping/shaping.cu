#include <rhyton/framework/ops/shaping.h>

#include <rhyton/framework/backends/gpu/registration.h>
#include <rhyton/framework/backends/gpu/shaping/shaping.h>
#include <rhyton/framework/backends/gpu/shaping/strided_copy.h>

namespace rhyton::gpu {
namespace {

// Elements are only moved, so that a kernel depends on their size and not on their dtype.

std::size_t at(int axis) { return static_cast<std::size_t>(axis); }

void run_reshape(const KernelArguments& arguments) {
  const TensorView& from = arguments.inputs[0];
  const TensorView& to = arguments.outputs[0];
  if (to.data != from.data) stream_of(arguments).copy(to.data, from.data, to.spec.bytes());
}

void run_broadcast(const KernelArguments& arguments) {
  const TensorView& x = arguments.inputs[0];
  const TensorView& y = arguments.outputs[0];
  const std::vector<std::int64_t> strides = contiguous_strides(x.shape());
  const int missing = y.shape().rank() - x.shape().rank();
  StridedAxes axes;
  for (int axis = 0; axis < y.shape().rank(); ++axis) {
    const bool is_repeated = axis < missing || x.shape()[axis - missing] == 1;
    axes.push_back({y.shape()[axis], is_repeated ? 0 : strides[at(axis - missing)]});
  }
  copy_strided(stream_of(arguments), "Broadcast", x.data, y.data, size_of(y.spec.dtype), axes);
}

void run_slice(const KernelArguments& arguments) {
  const auto& op = arguments.attributes<SliceOp>();
  const TensorView& x = arguments.inputs[0];
  const TensorView& y = arguments.outputs[0];
  if (y.size() == 0) return;
  const std::vector<std::int64_t> strides = contiguous_strides(x.shape());
  StridedAxes axes;
  std::int64_t first = 0;
  for (int axis = 0; axis < y.shape().rank(); ++axis) {
    first += op.begin[at(axis)] * strides[at(axis)];
    axes.push_back({y.shape()[axis], op.steps[at(axis)] * strides[at(axis)]});
  }
  const std::size_t element_bytes = size_of(y.spec.dtype);
  copy_strided(stream_of(arguments), "StridedSlice",
               x.as<std::byte>() + first * static_cast<std::int64_t>(element_bytes), y.data, element_bytes, axes);
}

void run_reverse(const KernelArguments& arguments) {
  const TensorView& x = arguments.inputs[0];
  const TensorView& y = arguments.outputs[0];
  if (y.size() == 0) return;
  const std::vector<std::int64_t> strides = contiguous_strides(x.shape());
  StridedAxes axes;
  for (int axis = 0; axis < y.shape().rank(); ++axis) axes.push_back({y.shape()[axis], strides[at(axis)]});
  std::int64_t first = 0;
  for (const int axis : arguments.attributes<ReverseOp>().axes) {
    first += (y.shape()[axis] - 1) * strides[at(axis)];
    axes[at(axis)].stride = -strides[at(axis)];
  }
  const std::size_t element_bytes = size_of(y.spec.dtype);
  copy_strided(stream_of(arguments), "ReverseV2", x.as<std::byte>() + first * static_cast<std::int64_t>(element_bytes),
               y.data, element_bytes, axes);
}

}  // namespace

void register_shaping_kernels(KernelTable& table) {
  for (const DType dtype : all_dtypes) {
    table.add("Reshape", dtype, {.run = &run_reshape});
    table.add("BroadcastTo", dtype, {.run = &run_broadcast});
    table.add("BroadcastLike", dtype, {.run = &run_broadcast});
    table.add("Transpose", dtype, {.run = &run_transpose, .run_together = &run_transposes});
    table.add("ConcatV2", dtype, {.run = &run_concatenate});
    table.add("SplitV", dtype, {.run = &run_split});
    table.add("StridedSlice", dtype, {.run = &run_slice});
    table.add("PadV2", dtype, {.run = &run_pad});
    table.add("ReverseV2", dtype, {.run = &run_reverse});
  }
}

}  // namespace rhyton::gpu
