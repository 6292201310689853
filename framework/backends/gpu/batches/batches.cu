#include <rhyton/framework/backends/gpu/batches/batches.h>

#include <rhyton/framework/backends/gpu/primitives/division.h>
#include <rhyton/framework/backends/gpu/primitives/launch.h>
#include <rhyton/framework/backends/gpu/primitives/words.h>

namespace rhyton::gpu {
namespace {

template <class Word, class Index>
__global__ void copy_samples(const Word* source, std::int64_t samples, const std::int64_t* permutation,
                             const std::int64_t* first, std::int64_t size, Divisor<Index> sample, Word* target,
                             Report* report) {
  for_each_index(size, [&](std::int64_t i) {
    const Index number = sample.quotient(static_cast<Index>(i));
    const Index word = static_cast<Index>(i) - number * sample.value();
    const std::int64_t place = *first + static_cast<std::int64_t>(number);
    const std::int64_t chosen = place >= 0 && place < samples ? permutation[place] : std::int64_t{-1};
    if (chosen >= 0 && chosen < samples) {
      target[i] = source[chosen * static_cast<std::int64_t>(sample.value()) + word];
    } else {
      note(report, Finding::index_out_of_range, chosen, samples, place);
    }
  });
}

}  // namespace

void gather_samples(GpuStream& stream, const OrderedSamples& from, const std::int64_t* first, std::int64_t count,
                    void* target) {
  if (count == 0 || from.sample_bytes == 0) return;
  const std::size_t word_bytes = widest_word({address_of(from.source), address_of(target), from.sample_bytes});
  const auto sample = static_cast<std::int64_t>(from.sample_bytes / word_bytes);
  with_word(word_bytes, [&](auto word) {
    using Word = decltype(word);
    with_index_type(count * sample, [&](auto index) {
      using Index = decltype(index);
      launch(stream, "GatherSamples", one_thread_each(count * sample), &copy_samples<Word, Index>,
             static_cast<const Word*>(from.source), from.samples, from.permutation, first, count * sample,
             Divisor<Index>(sample), static_cast<Word*>(target), stream.report());
    });
  });
}

}  // namespace rhyton::gpu
