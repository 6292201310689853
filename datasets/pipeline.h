#pragma once

#include <concepts>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <rhyton/datasets/dataset.h>
#include <rhyton/datasets/element_function.h>
#include <rhyton/datasets/pipeline_options.h>

namespace rhyton::datasets {

class Windows;

/// Data in steps, as `tf.data.Dataset` has them: made by `from_tensor_slices`, or from any data set, whose elements are
/// batches. Each method returns a new pipeline, which reads this one's elements when it is asked for its own.
///
/// ```
/// auto train = datasets::from_tensor_slices(images, labels)
///                  .shuffle(1024)
///                  .batch(64)
///                  .map([](const Tensor& x, const Tensor& y) { return std::pair(x.cast(float32) / 255, y); });
/// model.fit(train, {.epochs = 5});
/// ```
///
/// An element is a `Batch`, also before `batch`, where its tensors have no axis of samples: `fit`, `evaluate` and
/// `predict` need batches. Elements are prepared by the thread that asks for them, except by a `map` with
/// `num_parallel_calls` and before `prefetch`, which have threads of their own. These end with the pass, also if it is
/// not read to its end; an exception reaches the thread that reads, and the pass is over.
/// https://www.tensorflow.org/api_docs/python/tf/data/Dataset
class Pipeline : public Dataset {
 public:
  /// The batches of that data set.
  explicit Pipeline(const Dataset& dataset) : Dataset(dataset) {}
  explicit Pipeline(std::shared_ptr<const DatasetImpl> impl) : Dataset(std::move(impl)) {}

  /// Fills a buffer with that many elements, and returns elements drawn from it, each of which the next one replaces.
  /// The order is complete if `buffer_size` is at least the number of elements. A seed gives the same orders each time.
  /// Throws ValueError for a `buffer_size` below 1.
  Pipeline shuffle(std::int64_t buffer_size, const PipelineShuffleOptions& options = {}) const;
  /// Stacks `batch_size` elements along a new first axis. A pass throws InvalidArgumentError in TensorFlow's words for
  /// elements of different shapes. Throws ValueError for a `batch_size` below 1.
  Pipeline batch(std::int64_t batch_size, const PipelineBatchOptions& options = {}) const;
  /// The results of `function`, whose ops run on the CPU. Shapes and dtypes are `output_signature` or, without it, those
  /// of the first two elements, which are computed when they are first asked for: lengths in which the two differ are
  /// unknown, and so is the axis of samples if it was. A pass throws what the function throws, with the number of the
  /// element in the message of Rhyton's own errors, and TypeError if it takes other tensors than an element has.
  ///
  /// With `num_parallel_calls` the function is called on several threads at once, each of its ops on one thread.
  /// Elements keep their order, unless `deterministic` is false. Throws ValueError for a number of calls below 1 that is
  /// not `autotune`.
  Pipeline map(const ElementFunction& function, const PipelineMapOptions& options = {}) const;
  /// The elements for which `predicate` is true.
  Pipeline filter(const FunctionOfElements<bool>& predicate) const;
  /// Prepares up to `buffer_size` elements ahead of use on a thread of its own; `autotune`: two; 0: none. What comes
  /// before runs on that thread, its ops each on one thread. Throws ValueError for a number below -1.
  Pipeline prefetch(std::int64_t buffer_size = autotune) const;
  /// The first `count` elements; all for -1.
  Pipeline take(std::int64_t count) const;
  /// All but the first `count` elements; none for -1.
  Pipeline skip(std::int64_t count) const;
  /// The elements `count` times, without end for -1: `fit` then needs `steps_per_epoch`.
  Pipeline repeat(std::int64_t count = -1) const;
  /// Keeps the elements of the first complete pass in memory for all later ones. What comes before it runs only once.
  Pipeline cache() const;
  /// The same in a file, in a format of Rhyton's own, which is written by the first complete pass and which later passes,
  /// also of other processes, read. The folder must exist. A pass throws IOError for a file that cannot be written, is
  /// damaged, or has elements of other dtypes or ranks than this pipeline.
  Pipeline cache(const std::filesystem::path& file) const;

  /// The elements of this pipeline, then those of `other`. Lengths in which the two differ are unknown. Throws TypeError
  /// for other tensors or dtypes.
  Pipeline concatenate(const Dataset& other) const;
  /// Elements with a number, int64, from `start` on, as x, and all tensors of the element as y.
  Pipeline enumerate(std::int64_t start = 0) const;
  /// The elements number index, index + num_shards, … Throws InvalidArgumentError unless 0 <= index < num_shards.
  Pipeline shard(std::int64_t num_shards, std::int64_t index) const;
  /// The slices of each element along its first axis, one after the other: undoes `batch`. Throws ValueError for tensors
  /// of rank 0; a pass throws InvalidArgumentError for an element whose tensors have different first lengths.
  Pipeline unbatch() const;
  /// The elements of the pipelines that `function` returns for the elements of this one, one pipeline after the other.
  /// Shapes and dtypes are those of the first pipeline.
  Pipeline flat_map(const FunctionOfElements<Pipeline>& function) const;
  /// The same from `cycle_length` pipelines in turns, `block_length` elements from each. When one has ended, the next
  /// takes its place. Throws ValueError for a length below 1.
  Pipeline interleave(const FunctionOfElements<Pipeline>& function,
                      const PipelineInterleaveOptions& options = {}) const;
  /// As `batch`, for elements of different lengths: their tensors are padded at the end of each axis. A pass throws
  /// InvalidArgumentError for a tensor that is longer than its padded shape or has another rank, ValueError for shapes or
  /// values for other tensors than an element has, and TypeError for a fraction where the elements are integers. Throws
  /// ValueError for a `batch_size` below 1.
  Pipeline padded_batch(std::int64_t batch_size, const PipelinePaddedBatchOptions& options = {}) const;
  /// Batches of elements of similar lengths. An element whose length, by `element_length_func`, is at least
  /// `bucket_boundaries[i - 1]` and below `bucket_boundaries[i]` goes to bucket i, which becomes a batch when it has
  /// `bucket_batch_sizes[i]` elements; at the end of the pass come the elements that are left, bucket by bucket. Throws
  /// ValueError unless there is one size more than boundaries, and for a size below 1.
  Pipeline bucket_by_sequence_length(const FunctionOfElements<std::int64_t>& element_length_func,
                                     const std::vector<std::int64_t>& bucket_boundaries,
                                     const std::vector<std::int64_t>& bucket_batch_sizes,
                                     const PipelineBucketOptions& options = {}) const;
  /// Data sets of `size` elements each: elements 0, stride, 2 * stride, …, then the same from element `shift` on, and so
  /// forth. The last ones have fewer elements where the data end, or are left out by `drop_remainder`. See `Windows`.
  /// Throws ValueError for numbers below 1.
  Windows window(std::int64_t size, const PipelineWindowOptions& options = {}) const;

  /// The size of the batches if the last step was `batch` or `padded_batch`; else none.
  std::optional<std::int64_t> batch_size() const;

  /// `function(state, element)` for one element of the next pass after the other, from `initial_state`; returns the last
  /// state. Throws TypeError if a state has other tensors or dtypes than the one before.
  Batch reduce(const Batch& initial_state,
               const std::function<Batch(const Batch& state, const Batch& element)>& function) const;
  /// The same for elements of one x: `reduce(Tensor::scalar(0), [](const Tensor& sum, const Tensor& x) { … })`.
  template <std::invocable<const Tensor&, const Tensor&> F>
  Tensor reduce(const Tensor& initial_state, const F& function) const {
    return reduce(Batch{.x = {initial_state}},
                  [&](const Batch& state, const Batch& element) {
                    require_single_tensors(element, false);
                    return Batch{.x = {function(state.x.front(), element.x.front())}};
                  })
        .x.front();
  }
};

/// The slices of arrays along their first axis: sample i is x[i], y[i] and sample_weight[i]. The arrays are not copied.
/// Throws ValueError for an empty tensor, one of rank 0, and different numbers of samples.
/// (`tf.data.Dataset.from_tensor_slices`)
Pipeline from_tensor_slices(const Tensor& x, const Tensor& y = {}, const Tensor& sample_weight = {});
/// The same as TensorFlow's users write it, a tuple of one to three arrays: `from_tensor_slices({x, y})`.
Pipeline from_tensor_slices(std::initializer_list<Tensor> arrays);
/// The same for a dictionary of inputs, which a model takes by the names of its inputs:
/// `from_tensor_slices({{"title", titles}, {"body", bodies}}, labels)`.
Pipeline from_tensor_slices(std::initializer_list<std::pair<const std::string, Tensor>> x, const Tensor& y = {},
                            const Tensor& sample_weight = {});
// A template, because libstdc++'s `map` takes any two values of one type for iterators: `from_tensor_slices({a, b})`.
template <class T>
requires std::same_as<T, Tensor> Pipeline from_tensor_slices(const std::map<std::string, T>& x, const Tensor& y = {},
                                                             const Tensor& sample_weight = {});
/// The same for several inputs or outputs: `from_tensor_slices({.x = {left, right}, .y = {labels}})`.
Pipeline from_tensor_slices(const Batch& arrays);

template <class T>
requires std::same_as<T, Tensor> Pipeline from_tensor_slices(const std::map<std::string, T>& x, const Tensor& y,
                                                             const Tensor& sample_weight) {
  return from_tensor_slices(dictionary_element(x, y, sample_weight));
}

}  // namespace rhyton::datasets
