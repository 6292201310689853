#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include <rhyton/datasets/pipeline.h>
#include <rhyton/framework/tensor/scalar.h>

// Where pipelines begin, besides `from_tensor_slices`.
namespace rhyton::datasets {

/// One element: these tensors. (`tf.data.Dataset.from_tensors`)
Pipeline from_tensors(const Tensor& x, const Tensor& y = {}, const Tensor& sample_weight = {});
/// The same for several inputs or outputs. Throws ValueError without x and for empty tensors.
Pipeline from_tensors(const Batch& element);

/// The arguments of `range`.
struct RangeOptions {
  ByName by_name = ByName();
  DType output_type = DType::int64;
};

/// The numbers from 0 to `stop`, without it, as tensors of rank 0. (`tf.data.Dataset.range`)
Pipeline range(std::int64_t stop, const RangeOptions& options = {});
/// The numbers start, start + step, … before `stop`; none if `stop` lies in the other direction. Throws
/// InvalidArgumentError for a `step` of 0.
Pipeline range(std::int64_t start, std::int64_t stop, std::int64_t step = 1, const RangeOptions& options = {});

/// The function of `from_generator`: returns a function that returns the elements of a pass one after the other, as
/// `std::optional` of a tensor, of a pair, of a tuple of three, or of a `Batch`, and then none.
class ElementGenerator {
 public:
  template <class F>
  requires(!std::derived_from<F, ElementGenerator> && std::invocable<const F&>)
      ElementGenerator(F generator)  // NOLINT(google-explicit-constructor): functions convert by themselves
      : begin_([f = std::move(generator)]() -> Next {
          return [next = f()]() mutable -> std::optional<Batch> {
            auto element = next();
            if (!element) return std::nullopt;
            return ElementResult<Batch>::from(*std::move(element));
          };
        }) {}

  using Next = std::function<std::optional<Batch>()>;
  /// Begins a pass.
  Next operator()() const { return begin_(); }

 private:
  std::function<Next()> begin_;
};

/// The elements that a function makes, which is called anew for each pass. (`tf.data.Dataset.from_generator`)
///
/// ```
/// const auto count_to_ten = [] {
///   return [i = 0]() mutable { return i < 10 ? std::optional(Tensor::scalar(i++)) : std::nullopt; };
/// };
/// auto data = datasets::from_generator(count_to_ten, {.x = {{{}, DType::int32}}});
/// ```
///
/// `output_signature`: shapes, with -1 for unknown lengths, and dtypes of an element. A pass throws TypeError for an
/// element that does not have them.
Pipeline from_generator(const ElementGenerator& generator, const BatchSpec& output_signature);

/// The data sets that `zip` joins, for several inputs or outputs.
struct ZippedDatasets {
  std::vector<Dataset> x;
  std::vector<Dataset> y = {};
  std::vector<Dataset> sample_weight = {};
};

/// Elements with all tensors of an element of `x` as x, and all of one of `y` as y, as long as both have some.
/// (`tf.data.Dataset.zip`)
Pipeline zip(const Dataset& x, const Dataset& y);
/// The same with sample weights.
Pipeline zip(const Dataset& x, const Dataset& y, const Dataset& sample_weight);
/// The same for several data sets in a part: `zip({.x = {titles, bodies}, .y = {labels}})`. Throws TypeError without x.
Pipeline zip(const ZippedDatasets& datasets);

/// Numbers from 0 to 2³² − 1, int64, without end, drawn by Rhyton's generator: a function of the seed and, with
/// `rerandomize_each_iteration`, of the number of the pass. (`tf.data.Dataset.random`, whose numbers are others)
struct RandomOptions {
  ByName by_name = ByName();
  /// Drawn from the global seed (`set_random_seed`) if not given.
  std::optional<std::int64_t> seed = std::nullopt;
  bool rerandomize_each_iteration = false;
};
Pipeline random(const RandomOptions& options = {});

}  // namespace rhyton::datasets
