#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <rhyton/datasets/dataset.h>
#include <rhyton/datasets/pipeline.h>
#include <rhyton/framework/by_name.h>
#include <rhyton/framework/tensor/string_tensor.h>

// Pipelines that begin with the content of files.
namespace rhyton::datasets {

/// The arguments of TextLineDataset and TFRecordDataset besides the files.
struct FileSourceOptions {
  ByName by_name = ByName();
  /// "" (none), "ZLIB" or "GZIP".
  std::string compression_type = {};
  /// How many files take turns, with one element each; if not given, one file follows the other. The files are read by the
  /// thread that asks for elements; `prefetch` reads ahead.
  std::optional<std::int64_t> num_parallel_reads = std::nullopt;
};

/// The lines of text files, strings of shape (), without the characters "\r" and "\n" (`tf.data.TextLineDataset`). The
/// last line need not end with "\n".
///
/// ```
/// auto reviews = datasets::TextLineDataset("reviews.txt").shuffle(10000).batch(32);
/// auto logs = datasets::TextLineDataset({"monday.log.gz", "tuesday.log.gz"}, {.compression_type = "GZIP"});
/// ```
///
/// Throws InvalidArgumentError in TensorFlow's words for another `compression_type`, ValueError for a number of files below
/// 1 that is not `autotune`. A pass throws NotFoundError for a file that does not exist, and IOError for one whose
/// compressed data are damaged or cut short.
class TextLineDataset : public Pipeline {
 public:
  explicit TextLineDataset(const StringTensor& filenames, const FileSourceOptions& options = {});
  /// The files whose names are the elements of a data set. A pass throws TypeError for elements that are no strings.
  explicit TextLineDataset(const Dataset& filenames, const FileSourceOptions& options = {});
};

/// The records of TFRecord files, strings of shape () (`tf.data.TFRecordDataset`); `parse_single_example` reads those that
/// are a `tf.train.Example`. Throws as TextLineDataset; a pass also throws IOError for damaged records.
class TFRecordDataset : public Pipeline {
 public:
  explicit TFRecordDataset(const StringTensor& filenames, const FileSourceOptions& options = {});
  explicit TFRecordDataset(const Dataset& filenames, const FileSourceOptions& options = {});
};

}  // namespace rhyton::datasets
