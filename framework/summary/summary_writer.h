#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include <rhyton/framework/by_name.h>
#include <rhyton/framework/tensor/tensor.h>

/// Logs for TensorBoard (`tf.summary`, https://www.tensorflow.org/api_docs/python/tf/summary).
namespace rhyton::summary {

/// The optional arguments of `SummaryWriter::histogram`.
struct HistogramOptions {
  ByName by_name = ByName();
  /// The number of intervals.
  int buckets = 30;
};

/// The optional arguments of `SummaryWriter::image`.
struct ImageOptions {
  ByName by_name = ByName();
  /// The maximum number of images that are written.
  int max_outputs = 3;
};

/// Writes an event file, which TensorBoard shows: `tensorboard --logdir logs`. A handle: copies write the same file.
/// Members may be called from several threads. They throw IOError if the file cannot be written, and after `close`.
///
///     const auto writer = summary::create_file_writer("logs/train");
///     for (std::int64_t step = 0; step < 100; ++step) writer.scalar("loss", train_step(), step);
class SummaryWriter {
 public:
  /// See `create_file_writer`.
  explicit SummaryWriter(const std::filesystem::path& logdir);

  /// A number, which is stored in float32, at that step of the curve `name`.
  void scalar(const std::string& name, double data, std::int64_t step) const;
  /// The distribution of the elements of a tensor of any shape and dtype. Values that are not finite are left out.
  /// Throws ValueError for fewer than one interval.
  void histogram(const std::string& name, const Tensor& data, std::int64_t step,
                 const HistogramOptions& options = {}) const;
  /// Images [batch, height, width, channels] with 1, 3 or 4 channels: uint8, or floating-point numbers from 0 to 1,
  /// which are limited to that range. Throws ValueError for other tensors.
  void image(const std::string& name, const Tensor& data, std::int64_t step, const ImageOptions& options = {}) const;
  /// A text, which TensorBoard shows as Markdown.
  void text(const std::string& name, std::string_view data, std::int64_t step) const;
  /// The configuration of a Keras model (`Model::to_json`), which TensorBoard draws as its conceptual graph.
  void keras_model(const std::string& name, std::string_view json, std::int64_t step) const;

  /// Makes everything so far readable for other processes. The file is also flushed when the last copy is destroyed.
  void flush() const;
  void close() const;

  /// The event file.
  const std::filesystem::path& path() const;

 private:
  class File;
  std::shared_ptr<File> file_;
};

/// A writer of a new file `events.out.tfevents.<time>.<host>.<process>.<number>.v2` in the folder `logdir`, which is
/// created if necessary. Throws IOError if that fails. (`tf.summary.create_file_writer`)
SummaryWriter create_file_writer(const std::filesystem::path& logdir);

}  // namespace rhyton::summary
