#pragma once

#include <cstdint>
#include <optional>

#include <rhyton/datasets/pipeline.h>
#include <rhyton/framework/by_name.h>
#include <rhyton/framework/tensor/tensor.h>

namespace rhyton::datasets {

/// Arguments of `timeseries_dataset_from_array`. Fields in the order of Keras's signature.
struct TimeseriesDatasetOptions {
  ByName by_name = ByName();
  /// The number of time steps from the beginning of a sequence to that of the next one.
  std::int64_t sequence_stride = 1;
  /// The number of time steps from one step of a sequence to the next one.
  std::int64_t sampling_rate = 1;
  /// `std::nullopt`: no batches, elements are single sequences.
  std::optional<std::int64_t> batch_size = 128;
  /// Shuffles the sequences once, and each pass again within a buffer of eight batches.
  bool shuffle = false;
  /// From 0 to 2³² − 1. Keras gives the sequences the same first order with the same seed.
  std::optional<std::int64_t> seed = std::nullopt;
  /// The first time step of the data that is used, and the first one behind that is not.
  std::optional<std::int64_t> start_index = std::nullopt;
  std::optional<std::int64_t> end_index = std::nullopt;
};

/// Sequences of `sequence_length` consecutive time steps of `data`, whose first axis is time, as x, and the target at the
/// index at which a sequence begins as y; no y for an empty `targets`.
/// (`keras.utils.timeseries_dataset_from_array`, https://keras.io/api/data_loading/timeseries/)
///
/// ```
/// // The next value from the ten before it.
/// auto data = utils::timeseries_dataset_from_array(series.slice(0, -10), series.slice(10, n), 10, {.batch_size = 32});
/// ```
///
/// Throws ValueError in Keras's words for numbers out of range. A pass throws InvalidArgumentError for a sequence
/// without a target, which is possible with a `start_index`.
Pipeline timeseries_dataset_from_array(const Tensor& data, const Tensor& targets, std::int64_t sequence_length,
                                       const TimeseriesDatasetOptions& options = {});

}  // namespace rhyton::datasets
