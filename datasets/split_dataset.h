#pragma once

#include <cstdint>
#include <optional>

#include <rhyton/datasets/pipeline.h>
#include <rhyton/framework/by_name.h>
#include <rhyton/framework/tensor/scalar.h>

namespace rhyton::datasets {

/// Arguments of `split_dataset`. Fields in the order of Keras's signature.
struct SplitDatasetOptions {
  ByName by_name = ByName();
  /// The size of a part: an integer is a number of samples, a floating number a fraction of all. A part without a size
  /// gets what the other leaves.
  std::optional<Scalar> left_size = std::nullopt;
  std::optional<Scalar> right_size = std::nullopt;
  bool shuffle = false;
  /// With the same seed Keras shuffles into the same order.
  std::optional<std::int64_t> seed = std::nullopt;
};

/// The parts of a data set.
struct DatasetSplits {
  Pipeline left;
  Pipeline right;
};

/// The first elements of a data set, and the last ones (`keras.utils.split_dataset`). All elements are read into memory.
/// If `batch` was the last step of the data set, its samples are split, and both parts have batches of the same size.
///
/// ```
/// auto [train, test] = utils::split_dataset(datasets::from_tensor_slices(x, y), {.left_size = 0.8});
/// ```
///
/// Throws ValueError in Keras's words for sizes out of range, no sizes, an empty data set, and elements of different
/// shapes; TypeError for a size that is a truth value.
DatasetSplits split_dataset(const Dataset& dataset, const SplitDatasetOptions& options);

}  // namespace rhyton::datasets
