#pragma once

#include <filesystem>
#include <memory>
#include <string_view>

#include <rhyton/framework/io/sequential_file.h>

namespace rhyton::io {

/// Writes a file, compressed or not, that is created completely by `commit`, or not at all (see AtomicFile).
class CompressedWriter {
 public:
  /// Throws IOError if the file cannot be created.
  CompressedWriter(const std::filesystem::path& path, Compression compression);
  ~CompressedWriter();
  CompressedWriter(CompressedWriter&&) noexcept;
  CompressedWriter& operator=(CompressedWriter&&) noexcept;

  /// Appends. Throws IOError, RuntimeError after `commit`.
  void write(std::string_view bytes);
  /// Completes the file. Throws IOError, RuntimeError when called twice.
  void commit();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace rhyton::io
