#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <rhyton/framework/io/atomic_file.h>

// Files of records, TFRecord: https://www.tensorflow.org/tutorials/load_data/tfrecord
namespace rhyton::datasets {

/// Writes a TFRecord file, uncompressed (`tf.io.TFRecordWriter`). The file appears under its name when `close` is
/// called; without it, none is left.
class TFRecordWriter {
 public:
  /// Throws IOError if the file cannot be created.
  explicit TFRecordWriter(const std::filesystem::path& path);
  /// Appends a record: any bytes. Throws IOError, RuntimeError after `close`.
  void write(std::string_view record);
  /// Completes the file. Throws IOError, RuntimeError when called twice.
  void close();

 private:
  std::unique_ptr<io::AtomicFile> file_;
};

/// Reads the records of an uncompressed TFRecord file in their order.
class TFRecordReader {
 public:
  /// Throws NotFoundError if there is no such file.
  explicit TFRecordReader(const std::filesystem::path& path);
  /// The next record; none at the end. Throws IOError in TensorFlow's words for a damaged file, with the position.
  std::optional<std::string> next();

 private:
  /// Reads that many bytes; false if there are fewer.
  bool read(char* bytes, std::size_t count);
  [[noreturn]] void refuse(const char* what) const;

  std::filesystem::path path_;
  std::ifstream file_;
  std::uint64_t size_ = 0;
  /// Of the current record.
  std::uint64_t position_ = 0;
};

}  // namespace rhyton::datasets
