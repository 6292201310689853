#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include <rhyton/datasets/dataset.h>
#include <rhyton/framework/by_name.h>

namespace rhyton::datasets {

/// The cardinality of a pipeline that repeats its elements without end (`tf.data.INFINITE_CARDINALITY`).
inline constexpr std::int64_t infinite_cardinality = -1;

/// The arguments of `Pipeline::shuffle`. Fields in the order of `tf.data.Dataset.shuffle`.
struct PipelineShuffleOptions {
  ByName by_name = ByName();
  /// Drawn from the global seed (`set_random_seed`) if not given.
  std::optional<std::int64_t> seed = std::nullopt;
  /// Whether each pass has an order of its own.
  bool reshuffle_each_iteration = true;
};

/// The arguments of `Pipeline::batch`. Fields in the order of `tf.data.Dataset.batch`.
struct PipelineBatchOptions {
  ByName by_name = ByName();
  /// Whether a last batch that has fewer elements is left out.
  bool drop_remainder = false;
};

/// The function of `Pipeline::map`: of x, of x and y, or of a whole element, for those of several tensors or with
/// weights. It returns x, the pair of x and y, or an element:
///
///     [](const Tensor& x) { return x / 255; }
///     [](const Tensor& x, const Tensor& y) { return std::pair(flip(x), y); }
///     [](const Batch& e) { return Batch{.x = {e.x[0], e.x[1] * 2}, .y = e.y}; }
class ElementFunction {
 public:
  template <class F>
  requires(!std::derived_from<F, ElementFunction> &&
           (std::invocable<const F&, const Tensor&, const Tensor&> || std::invocable<const F&, const Tensor&> ||
            std::invocable<const F&, const Batch&>))
      ElementFunction(F function) {  // NOLINT(google-explicit-constructor): functions convert by themselves
    if constexpr (std::invocable<const F&, const Tensor&, const Tensor&>) {
      function_ = [f = std::move(function)](const Batch& element) {
        require_tensors(element, true);
        return element_of(f(element.x.front(), element.y.front()));
      };
    } else if constexpr (std::invocable<const F&, const Tensor&>) {
      function_ = [f = std::move(function)](const Batch& element) {
        require_tensors(element, false);
        return element_of(f(element.x.front()));
      };
    } else {
      function_ = [f = std::move(function)](const Batch& element) { return element_of(f(element)); };
    }
  }

  Batch operator()(const Batch& element) const { return function_(element); }

 private:
  static Batch element_of(Batch element) { return element; }
  static Batch element_of(const Tensor& x) { return {.x = {x}}; }
  static Batch element_of(const std::pair<Tensor, Tensor>& xy) { return {.x = {xy.first}, .y = {xy.second}}; }
  /// Throws TypeError unless the element is one x, or with `with_y` one x and one y, without weights.
  static void require_tensors(const Batch& element, bool with_y);

  std::function<Batch(const Batch&)> function_;
};

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
/// `predict` need batches. Elements are prepared one after the other on the thread that asks for them.
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
  /// The results of `function`, whose ops run on the CPU. Shapes and dtypes are those of the first element, which is
  /// computed when they are first asked for; the axis of samples keeps its unknown length. A pass throws what the
  /// function throws, and TypeError if it takes other tensors than an element has.
  Pipeline map(const ElementFunction& function) const;
  /// The elements for which `predicate` is true.
  Pipeline filter(std::function<bool(const Batch& element)> predicate) const;
  /// The first `count` elements; all for -1.
  Pipeline take(std::int64_t count) const;
  /// All but the first `count` elements; none for -1.
  Pipeline skip(std::int64_t count) const;
  /// The elements `count` times, without end for -1: `fit` then needs `steps_per_epoch`.
  Pipeline repeat(std::int64_t count = -1) const;
  /// Keeps the elements of the first complete pass in memory for all later ones. What comes before it runs only once.
  Pipeline cache() const;
};

/// The slices of arrays along their first axis: sample i is x[i], y[i] and sample_weight[i]. The arrays are not copied.
/// Throws ValueError for an empty tensor, one of rank 0, and different numbers of samples.
/// (`tf.data.Dataset.from_tensor_slices`)
Pipeline from_tensor_slices(const Tensor& x, const Tensor& y = {}, const Tensor& sample_weight = {});
/// The same for several inputs or outputs: `from_tensor_slices({.x = {left, right}, .y = {labels}})`.
Pipeline from_tensor_slices(const Batch& arrays);

}  // namespace rhyton::datasets
