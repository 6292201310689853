#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include <rhyton/datasets/dataset.h>
#include <rhyton/datasets/element_function.h>

// Iterators whose elements are prepared ahead of use by threads of their own. The threads begin with the first call of
// `next`; the destructors end them after their current elements. Ops on these threads run on one thread each, so that
// they do not take the pool's threads away from a step of training.
namespace rhyton::datasets {

struct ParallelMapOptions {
  /// The number of threads, which is also the largest number of elements that are computed or wait. At least 1.
  std::int64_t threads = 1;
  /// Whether the elements keep their order; otherwise they come as they are ready.
  bool keeps_order = true;
};

/// The results of `function` for the elements of `source`, which one thread at a time reads. `next` throws the exception
/// of the source or of the function when it comes to that element; see `map_element`. Then the pass is over.
std::unique_ptr<BatchIterator> parallel_map(std::unique_ptr<BatchIterator> source, ElementFunction function,
                                            const ParallelMapOptions& options);

/// The elements of `source`, of which up to `buffer_size`, at least 1, are read ahead by one thread. `next` throws the
/// exception of the source when it comes to it. Then the pass is over.
std::unique_ptr<BatchIterator> prefetched(std::unique_ptr<BatchIterator> source, std::size_t buffer_size);

}  // namespace rhyton::datasets
