#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include <rhyton/datasets/dataset.h>
#include <rhyton/datasets/pipeline.h>
#include <rhyton/datasets/pipeline_options.h>

namespace rhyton::datasets {

/// Returns data sets one after the other, then none.
using NestedDatasets = std::function<std::optional<Pipeline>()>;

/// The elements of nested data sets.
struct FlatteningOptions {
  /// Begins a pass over the nested data sets.
  std::function<NestedDatasets(std::uint64_t pass)> begin;
  /// The shapes and dtypes of the elements if there is no data set.
  std::function<BatchSpec()> spec_of_none;
  /// How many data sets take turns.
  std::int64_t cycle_length = 1;
  /// The elements of a turn.
  std::int64_t block_length = 1;
};

/// See `Pipeline::interleave`; `Pipeline::flat_map` with a `cycle_length` of 1. Throws ValueError for a length below 1
/// that is not `autotune`.
Pipeline flattened(const FlatteningOptions& options);

}  // namespace rhyton::datasets
