#include <rhyton/framework/ops/dynamic_slice.h>

#include <cstdint>

#include <rhyton/framework/backends/gpu/primitives/division.h>
#include <rhyton/framework/backends/gpu/primitives/indices.h>
#include <rhyton/framework/backends/gpu/primitives/launch.h>
#include <rhyton/framework/backends/gpu/primitives/words.h>
#include <rhyton/framework/backends/gpu/registration.h>
#include <rhyton/framework/backends/gpu/shaping/strided_copy.h>
#include <rhyton/framework/backends/gpu/shaping/strided_offsets.h>

namespace rhyton::gpu {
namespace {

/// The beginning of a block in a tensor, which only the GPU knows.
class BlockStart {
 public:
  /// `is_moved`: a block that is not inside is moved there and not reported.
  BlockStart(const TensorView& starts, const Shape& whole, const Shape& block, bool is_moved)
      : starts_(starts), rank_(whole.rank()), is_moved_(is_moved) {
    for (int axis = 0; axis < rank_; ++axis) {
      whole_[axis] = whole[axis];
      block_[axis] = block[axis];
    }
  }

  /// The number of the block's first element in the tensor.
  __device__ std::int64_t first_element(Report* report) const {
    std::int64_t first = 0;
    for (int axis = 0; axis < rank_; ++axis) {
      const std::int64_t given = starts_[axis];
      const std::int64_t last = whole_[axis] - block_[axis];
      const std::int64_t start = given < 0 ? 0 : given > last ? last : given;
      if (!is_moved_ && start != given && blockIdx.x == 0 && threadIdx.x == 0) {
        if (given < 0 || given > whole_[axis]) {
          note(report, Finding::begin_out_of_range, given, whole_[axis], axis);
        } else {
          note(report, Finding::size_out_of_range, block_[axis], whole_[axis] - given, axis);
        }
      }
      first = first * whole_[axis] + start;
    }
    return first;
  }

 private:
  Indices starts_;
  int rank_;
  bool is_moved_;
  std::int64_t whole_[Shape::max_rank] = {};
  std::int64_t block_[Shape::max_rank] = {};
};

/// Copies a block of a tensor, or to a block of a tensor. `length`: elements of a word.
template <bool to_block, class Word, class Index>
__global__ void copy_block(const Word* x, Word* y, std::int64_t size, BlockStart start, int length,
                           StridedOffsets<Index> offset, Report* report) {
  const auto first = static_cast<Index>(start.first_element(report) / length);
  for_each_index(size, [&](std::int64_t i) {
    const Index place = first + offset(static_cast<Index>(i));
    if constexpr (to_block) {
      y[place] = x[i];
    } else {
      y[i] = x[place];
    }
  });
}

template <bool to_block>
void launch_copy_block(const KernelArguments& arguments, const TensorView& x, const BlockStart& start,
                       const Shape& whole, const Shape& block) {
  const TensorView& y = arguments.outputs[0];
  const std::vector<std::int64_t> strides = contiguous_strides(whole);
  StridedAxes axes;
  std::int64_t size = block.size();
  // Elements that begin at a multiple of their number, wherever the block begins.
  std::int64_t together = 1;
  bool is_whole = true;
  for (int axis = block.rank() - 1; axis >= 0 && size > 0; --axis) {
    axes.insert(axes.begin(), {block[axis], strides[static_cast<std::size_t>(axis)]});
    is_whole = is_whole && block[axis] == whole[axis];
    if (is_whole) together *= block[axis];
  }
  axes = joined(axes);
  const std::size_t element_bytes = size_of(y.spec.dtype);
  const std::size_t word_bytes =
      widest_word({address_of(x.data), address_of(y.data), static_cast<std::uint64_t>(together) * element_bytes});
  const auto length = static_cast<int>(word_bytes / element_bytes);
  if (length > 1) {
    size /= length;
    axes.back().length /= length;
    for (std::size_t i = 0; i + 1 < axes.size(); ++i) axes[i].stride /= length;
  }
  GpuStream& stream = stream_of(arguments);
  with_word(word_bytes, [&](auto word) {
    using Word = decltype(word);
    with_index_type(whole.size(), [&](auto index) {
      using Index = decltype(index);
      launch(stream, arguments.op->name().data(), one_thread_each(size), &copy_block<to_block, Word, Index>,
             x.as<const Word>(), y.as<Word>(), size, start, length, StridedOffsets<Index>(axes), stream.report());
    });
  });
}

void run_slice(const KernelArguments& arguments) {
  const TensorView& x = arguments.inputs[0];
  const Shape& block = arguments.outputs[0].shape();
  const bool is_moved = arguments.attributes<DynamicSliceOp>().is_moved;
  // The beginning of a block without elements is checked too.
  if (block.size() == 0 && is_moved) return;
  launch_copy_block<false>(arguments, x, BlockStart(arguments.inputs[1], x.shape(), block, is_moved), x.shape(), block);
}

void run_update(const KernelArguments& arguments) {
  const TensorView& x = arguments.inputs[0];
  const TensorView& updates = arguments.inputs[2];
  const TensorView& y = arguments.outputs[0];
  if (y.size() == 0) return;
  if (x.data != y.data) stream_of(arguments).copy(y.data, x.data, y.spec.bytes());
  if (updates.size() == 0) return;
  launch_copy_block<true>(arguments, updates, BlockStart(arguments.inputs[1], x.shape(), updates.shape(), true),
                          x.shape(), updates.shape());
}

}  // namespace

void register_dynamic_slice_kernels(KernelTable& table) {
  for (const DType dtype : all_dtypes) {
    table.add("DynamicSlice", dtype, {.run = &run_slice});
    table.add("DynamicUpdateSlice", dtype, {.run = &run_update});
  }
}

}  // namespace rhyton::gpu
