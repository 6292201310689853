#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>

#include <rhyton/datasets/dataset.h>
#include <rhyton/datasets/pipeline.h>

namespace rhyton::datasets {

/// Data sets of consecutive elements, made by `Pipeline::window`. `flat_map` makes elements of them again:
///
/// ```
/// // The next value of a series from the four before it.
/// auto data = datasets::from_tensor_slices(series)
///                 .window(5, {.shift = 1, .drop_remainder = true})
///                 .flat_map([](const datasets::Pipeline& window) { return window.batch(5); })
///                 .map([](const Tensor& w) { return std::pair(w.slice(0, 4), w[-1]); })
///                 .shuffle(1000)
///                 .batch(32);
/// ```
///
/// A handle. https://www.tensorflow.org/api_docs/python/tf/data/Dataset#window
class Windows {
 public:
  /// Returns the elements of a window. A function of two takes the windows of x and of y, as TensorFlow has them.
  class Function {
   public:
    template <class F>
    requires(!std::derived_from<F, Function> &&
             (std::invocable<const F&, const Pipeline&, const Pipeline&> || std::invocable<const F&, const Pipeline&>))
        Function(F function) {  // NOLINT(google-explicit-constructor): functions convert by themselves
      if constexpr (std::invocable<const F&, const Pipeline&, const Pipeline&>) {
        function_ = [f = std::move(function)](const Pipeline& window) { return f(x_of(window), y_of(window)); };
      } else {
        function_ = std::move(function);
      }
    }
    Pipeline operator()(const Pipeline& window) const { return function_(window); }

   private:
    static Pipeline x_of(const Pipeline& window);
    /// Throws TypeError for elements without y.
    static Pipeline y_of(const Pipeline& window);

    std::function<Pipeline(const Pipeline& window)> function_;
  };

  Windows(Pipeline source, std::int64_t size, const PipelineWindowOptions& options);

  /// The elements of the pipelines that `function` returns, one window after the other. Shapes and dtypes are those of
  /// the first.
  Pipeline flat_map(const Function& function) const;
  /// See `Pipeline::interleave`.
  Pipeline interleave(const Function& function, const PipelineInterleaveOptions& options = {}) const;

  /// The number of windows, as for a `Dataset`.
  std::optional<std::int64_t> cardinality() const;

  class Iterator;
  /// Begins a new pass over the windows: `for (const datasets::Pipeline& window : data.window(3))`.
  Iterator begin() const;
  static std::default_sentinel_t end() { return {}; }

 private:
  class Impl;
  std::shared_ptr<const Impl> impl_;
};

/// For loops over windows.
class Windows::Iterator {
 public:
  using iterator_concept = std::input_iterator_tag;
  using value_type = Pipeline;
  using difference_type = std::ptrdiff_t;

  explicit Iterator(std::function<std::optional<Pipeline>()> next) : next_(std::move(next)), window_(next_()) {}
  const Pipeline& operator*() const { return *window_; }
  const Pipeline* operator->() const { return &*window_; }
  Iterator& operator++() {
    window_ = next_();
    return *this;
  }
  void operator++(int) { ++*this; }
  friend bool operator==(const Iterator& iterator, std::default_sentinel_t) { return !iterator.window_; }

 private:
  std::function<std::optional<Pipeline>()> next_;
  std::optional<Pipeline> window_;
};

}  // namespace rhyton::datasets
