#pragma once

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include <rhyton/framework/error.h>

namespace rhyton::io {

/// A record in the form of TensorFlow's TFRecord files: the length of the data in 8 bytes, little-endian, its masked
/// CRC-32C, the data, and their masked CRC-32C. See https://www.tensorflow.org/tutorials/load_data/tfrecord.
std::string framed_record(std::string_view data);

/// A new file of such records.
class RecordWriter {
 public:
  /// Throws IOError if the file exists or cannot be created.
  explicit RecordWriter(std::filesystem::path path);

  const std::filesystem::path& path() const { return path_; }
  /// Appends a record. Throws IOError if it cannot be written.
  void write(std::string_view data);
  /// Passes all records to the system, so that other processes can read them. Throws IOError.
  void flush();
  /// Flushes and closes the file. Throws IOError.
  void close();

 private:
  struct Close {
    void operator()(std::FILE* file) const;
  };

  [[noreturn]] void refuse(int error) const;

  std::filesystem::path path_;
  std::unique_ptr<std::FILE, Close> file_;
};

}  // namespace rhyton::io
