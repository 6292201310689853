#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <rhyton/datasets/dataset.h>
#include <rhyton/framework/by_name.h>
#include <rhyton/framework/tensor/scalar.h>
#include <rhyton/framework/tensor/shape.h>

// The arguments of the steps of `Pipeline`.
namespace rhyton::datasets {

/// The cardinality of a pipeline that repeats its elements without end (`tf.data.INFINITE_CARDINALITY`).
inline constexpr std::int64_t infinite_cardinality = -1;

/// A number of threads or elements that the pipeline chooses (`tf.data.AUTOTUNE`).
inline constexpr std::int64_t autotune = -1;

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

/// The arguments of `Pipeline::map`. Fields in the order of `tf.data.Dataset.map`, and `output_signature`.
struct PipelineMapOptions {
  ByName by_name = ByName();
  /// The number of threads that compute elements ahead of use, at most as many elements as threads; `autotune`: one for
  /// each core. If not given, each element is computed by the thread that asks for it.
  std::optional<std::int64_t> num_parallel_calls = std::nullopt;
  /// False: elements may come in the order in which they are ready.
  bool deterministic = true;
  /// Shapes and dtypes of the results, with -1 for lengths that vary, where those of the first elements do not show them.
  std::optional<BatchSpec> output_signature = std::nullopt;
};

/// The arguments of `Pipeline::interleave`. Fields in the order of `tf.data.Dataset.interleave`.
struct PipelineInterleaveOptions {
  ByName by_name = ByName();
  /// The number of pipelines that take turns; `autotune`: the number of cores, so that the order depends on the machine.
  std::int64_t cycle_length = autotune;
  /// The number of elements of a turn.
  std::int64_t block_length = 1;
};

/// The shapes to which the tensors of elements are padded, with -1 for the length of the longest of the batch.
struct PaddedShapes {
  std::vector<Shape> x = {};
  std::vector<Shape> y = {};
  std::vector<Shape> sample_weight = {};
};

/// The values with which they are padded.
struct PaddingValues {
  std::vector<Scalar> x = {};
  std::vector<Scalar> y = {};
  std::vector<Scalar> sample_weight = {};
};

/// The arguments of `Pipeline::padded_batch`. Fields in the order of `tf.data.Dataset.padded_batch`.
struct PipelinePaddedBatchOptions {
  ByName by_name = ByName();
  /// One shape for each tensor of an element. If not given, all axes have the length of the longest of the batch.
  PaddedShapes padded_shapes = {};
  /// One value for each tensor of an element. If not given, zeros.
  PaddingValues padding_values = {};
  /// Whether a last batch that has fewer elements is left out.
  bool drop_remainder = false;
};

/// The arguments of `Pipeline::bucket_by_sequence_length`. Fields in TensorFlow's order.
struct PipelineBucketOptions {
  ByName by_name = ByName();
  /// See `PipelinePaddedBatchOptions`.
  PaddedShapes padded_shapes = {};
  PaddingValues padding_values = {};
  /// Pads unknown lengths (-1 in `padded_shapes` or, without these, in the pipeline's `element_spec`) to the bucket's
  /// boundary minus 1. A pass throws InvalidArgumentError for an element of the last bucket, which has none.
  bool pad_to_bucket_boundary = false;
  /// For elements that have the same shape.
  bool no_padding = false;
  /// Whether batches that have fewer elements at the end of the pass are left out.
  bool drop_remainder = false;
};

/// The arguments of `Pipeline::window`. Fields in the order of `tf.data.Dataset.window`.
struct PipelineWindowOptions {
  ByName by_name = ByName();
  /// The number of elements from the beginning of a window to that of the next one; `size` if not given.
  std::optional<std::int64_t> shift = std::nullopt;
  /// The distance of the elements of a window.
  std::int64_t stride = 1;
  /// Whether windows that have fewer elements are left out.
  bool drop_remainder = false;
};

}  // namespace rhyton::datasets
