#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <ranges>

#include <rhyton/framework/tensor/string_tensor.h>
#include <rhyton/framework/tensor/tensor.h>

namespace rhyton::layers {

/// What `adapt` takes besides a tensor: a `datasets::Dataset`, or any range of tensors.
template <class Batches>
concept BatchesToAdapt = std::ranges::input_range<const Batches> && !std::convertible_to<const Batches&, Tensor>;

/// What `adapt` of a layer of strings takes besides strings: a `datasets::Dataset`, or any range of StringTensors or
/// tensors of strings.
template <class Batches>
concept StringBatches = BatchesToAdapt<Batches> &&
    (std::same_as<std::ranges::range_value_t<const Batches>, StringTensor> ||
     std::same_as<std::ranges::range_value_t<const Batches>, Tensor> ||
     requires(std::ranges::range_value_t<const Batches> batch) { batch.x.at(0); });

/// Returns the next batch; none at the end.
using NextBatch = std::function<std::optional<Tensor>()>;

/// Calls `use` with a function for the batches, of data sets for their first inputs: for all or, if given, for the
/// first `steps`.
template <BatchesToAdapt Batches, std::invocable<const NextBatch&> Use>
void with_batches(const Batches& batches, const Use& use, std::optional<std::int64_t> steps = std::nullopt) {
  auto batch = std::ranges::begin(batches);
  bool is_first = true;
  std::int64_t remaining = steps.value_or(std::numeric_limits<std::int64_t>::max());
  use([&]() -> std::optional<Tensor> {
    // A batch more than is used is not made: a data set may be endless.
    if (remaining <= 0) return std::nullopt;
    --remaining;
    if (!is_first) ++batch;
    is_first = false;
    if (batch == std::ranges::end(batches)) return std::nullopt;
    if constexpr (requires { (*batch).x.at(0); }) {
      return (*batch).x.at(0);
    } else {
      return *batch;
    }
  });
}

}  // namespace rhyton::layers
