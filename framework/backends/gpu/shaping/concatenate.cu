#include <algorithm>

#include <rhyton/framework/backends/gpu/primitives/division.h>
#include <rhyton/framework/backends/gpu/primitives/launch.h>
#include <rhyton/framework/backends/gpu/primitives/words.h>
#include <rhyton/framework/backends/gpu/shaping/shaping.h>
#include <rhyton/framework/ops/shaping.h>

namespace rhyton::gpu {
namespace {

/// Inputs of one launch, which are passed with its arguments.
template <class Word, class Index>
struct Parts {
  static constexpr int most = 32;

  struct Part {
    const Word* x = nullptr;
    /// The number of words in total, of one row, and before it in a row of the output.
    std::int64_t size = 0;
    Divisor<Index> row;
    Index offset = 0;
  };

  int count = 0;
  Part parts[most];
};

/// `blockIdx.y` is the index of the part that the block copies.
template <class Word, class Index>
__global__ void copy_parts(Parts<Word, Index> parts, Word* y, Index row) {
  const auto& part = parts.parts[blockIdx.y];
  for_each_index(part.size, [&](std::int64_t i) {
    const Index number = part.row.quotient(static_cast<Index>(i));
    y[number * row + part.offset + static_cast<Index>(i) - number * part.row.value()] = part.x[i];
  });
}

}  // namespace

void run_concatenate(const KernelArguments& arguments) {
  const int axis = arguments.attributes<ConcatenateOp>().axis;
  const TensorView& y = arguments.outputs[0];
  const Shape& shape = y.shape();
  if (y.size() == 0) return;
  const std::size_t element_bytes = size_of(y.spec.dtype);
  const std::int64_t outer = shape.slice(0, axis).size();
  const std::int64_t inner = shape.slice(axis + 1, shape.rank()).size();
  const auto row_bytes = [&](const Shape& of) { return static_cast<std::uint64_t>(of[axis] * inner) * element_bytes; };
  std::size_t word_bytes = widest_word({address_of(y.data), row_bytes(shape)});
  for (const TensorView& input : arguments.inputs) {
    if (input.size() > 0) word_bytes = widest_word({word_bytes, address_of(input.data), row_bytes(input.shape())});
  }

  with_word(word_bytes, [&](auto word) {
    using Word = decltype(word);
    with_index_type(static_cast<std::int64_t>(y.spec.bytes() / word_bytes), [&](auto index) {
      using Index = decltype(index);
      const auto row_words = [&](const Shape& of) { return static_cast<std::int64_t>(row_bytes(of) / word_bytes); };
      Parts<Word, Index> parts;
      std::int64_t largest = 0;
      const auto flush = [&] {
        if (parts.count == 0) return;
        LaunchShape blocks = one_thread_each(largest);
        blocks.grid.y = static_cast<unsigned>(parts.count);
        launch(stream_of(arguments), "ConcatV2", blocks, &copy_parts<Word, Index>, parts, y.as<Word>(),
               static_cast<Index>(row_words(shape)));
        parts.count = 0;
        largest = 0;
      };
      Index offset = 0;
      for (const TensorView& input : arguments.inputs) {
        if (input.size() == 0) continue;
        const std::int64_t row = row_words(input.shape());
        parts.parts[parts.count++] = {input.as<const Word>(), outer * row, Divisor<Index>(row), offset};
        largest = std::max(largest, outer * row);
        offset += static_cast<Index>(row);
        if (parts.count == parts.most) flush();
      }
      flush();
    });
  });
}

}  // namespace rhyton::gpu
