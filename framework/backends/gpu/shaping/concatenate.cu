#include <algorithm>
#include <span>

#include <rhyton/framework/backends/gpu/primitives/division.h>
#include <rhyton/framework/backends/gpu/primitives/launch.h>
#include <rhyton/framework/backends/gpu/primitives/words.h>
#include <rhyton/framework/backends/gpu/shaping/shaping.h>
#include <rhyton/framework/ops/shaping.h>

namespace rhyton::gpu {
namespace {

/// Parts of one launch, which are passed with its arguments.
template <class Word, class Index>
struct Parts {
  static constexpr int maximum = 32;

  struct Part {
    Word* data = nullptr;
    /// The number of words in total, of one row, and before it in a row of the whole.
    std::int64_t size = 0;
    Divisor<Index> row;
    Index offset = 0;
  };

  int count = 0;
  Part parts[maximum];
};

/// Copies parts to the whole (`joins`) or out of it. `blockIdx.y` is the index of the part that the block copies.
template <bool joins, class Word, class Index>
__global__ void copy_parts(Parts<Word, Index> parts, Word* whole, Index row) {
  const auto& part = parts.parts[blockIdx.y];
  for_each_index(part.size, [&](std::int64_t i) {
    const Index number = part.row.quotient(static_cast<Index>(i));
    const Index place = number * row + part.offset + static_cast<Index>(i) - number * part.row.value();
    if constexpr (joins) {
      whole[place] = part.data[i];
    } else {
      part.data[i] = whole[place];
    }
  });
}

/// Copies between tensors and the whole that they make up along the axis.
template <bool joins>
void copy_between_parts(GpuStream& stream, const char* what, int axis, const TensorView& whole,
                        std::span<const TensorView> tensors) {
  const Shape& shape = whole.shape();
  if (whole.size() == 0) return;
  const std::size_t element_bytes = size_of(whole.spec.dtype);
  const std::int64_t outer = shape.slice(0, axis).size();
  const std::int64_t inner = shape.slice(axis + 1, shape.rank()).size();
  const auto row_bytes = [&](const Shape& of) { return static_cast<std::uint64_t>(of[axis] * inner) * element_bytes; };
  std::size_t word_bytes = widest_word({address_of(whole.data), row_bytes(shape)});
  for (const TensorView& tensor : tensors) {
    if (tensor.size() > 0) word_bytes = widest_word({word_bytes, address_of(tensor.data), row_bytes(tensor.shape())});
  }

  with_word(word_bytes, [&](auto word) {
    using Word = decltype(word);
    with_index_type(static_cast<std::int64_t>(whole.spec.bytes() / word_bytes), [&](auto index) {
      using Index = decltype(index);
      const auto row_words = [&](const Shape& of) { return static_cast<std::int64_t>(row_bytes(of) / word_bytes); };
      Parts<Word, Index> parts;
      std::int64_t largest = 0;
      const auto flush = [&] {
        if (parts.count == 0) return;
        LaunchShape blocks = one_thread_each(largest);
        blocks.grid.y = static_cast<unsigned>(parts.count);
        launch(stream, what, blocks, &copy_parts<joins, Word, Index>, parts, whole.as<Word>(),
               static_cast<Index>(row_words(shape)));
        parts.count = 0;
        largest = 0;
      };
      Index offset = 0;
      for (const TensorView& tensor : tensors) {
        if (tensor.size() == 0) continue;
        const std::int64_t row = row_words(tensor.shape());
        parts.parts[parts.count++] = {tensor.as<Word>(), outer * row, Divisor<Index>(row), offset};
        largest = std::max(largest, outer * row);
        offset += static_cast<Index>(row);
        if (parts.count == parts.maximum) flush();
      }
      flush();
    });
  });
}

}  // namespace

void run_concatenate(const KernelArguments& arguments) {
  copy_between_parts<true>(stream_of(arguments), "ConcatV2", arguments.attributes<ConcatenateOp>().axis,
                           arguments.outputs[0], arguments.inputs);
}

void run_split(const KernelArguments& arguments) {
  copy_between_parts<false>(stream_of(arguments), "SplitV", arguments.attributes<SplitOp>().axis, arguments.inputs[0],
                            arguments.outputs);
}

}  // namespace rhyton::gpu
