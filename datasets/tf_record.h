#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include <rhyton/framework/by_name.h>
#include <rhyton/framework/io/compressed_writer.h>
#include <rhyton/framework/io/sequential_file.h>

// Files of records, TFRecord: https://www.tensorflow.org/tutorials/load_data/tfrecord
namespace rhyton::datasets {

/// The arguments of TFRecordWriter and TFRecordReader.
struct TFRecordOptions {
  ByName by_name = ByName();
  /// "" (none), "ZLIB" or "GZIP".
  std::string compression_type = {};
};

/// Writes a TFRecord file (`tf.io.TFRecordWriter`). The file appears under its name when `close` is
/// called; without it, none is left.
class TFRecordWriter {
 public:
  /// Throws IOError if the file cannot be created, ValueError for another `compression_type`.
  explicit TFRecordWriter(const std::filesystem::path& path, const TFRecordOptions& options = {});
  /// Appends a record: any bytes. Throws IOError, RuntimeError after `close`.
  void write(std::string_view record);
  /// Completes the file. Throws IOError, RuntimeError when called twice.
  void close();

 private:
  io::CompressedWriter file_;
};

/// Reads the records of a TFRecord file in their order.
class TFRecordReader {
 public:
  /// Throws NotFoundError if there is no such file, ValueError for another `compression_type`.
  explicit TFRecordReader(const std::filesystem::path& path, const TFRecordOptions& options = {});
  /// The next record; none at the end. Throws IOError in TensorFlow's words for a damaged file, with the position.
  std::optional<std::string> next();

 private:
  /// Appends that many bytes; false if there are fewer.
  bool append(std::uint64_t count, std::string& bytes);
  [[noreturn]] void refuse(const char* what) const;

  std::filesystem::path path_;
  io::SequentialFile file_;
  /// Of the current record, in the content.
  std::uint64_t position_ = 0;
};

}  // namespace rhyton::datasets
