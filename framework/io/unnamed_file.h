#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include <rhyton/framework/io/file_part.h>

namespace rhyton::io {

/// A temporary file without a name, for data that are read once and are too large for memory. It is removed with its
/// last FilePart, also when the process is killed.
class UnnamedFile {
 public:
  /// Creates an empty file in the folder that the environment variable TMPDIR names, else in /var/tmp, since /tmp may
  /// be in memory. Returns nullopt when the system cannot create such a file there.
  static std::optional<UnnamedFile> create();
  ~UnnamedFile();
  UnnamedFile(UnnamedFile&& other) noexcept;
  UnnamedFile& operator=(UnnamedFile&& other) noexcept;
  UnnamedFile(const UnnamedFile&) = delete;
  UnnamedFile& operator=(const UnnamedFile&) = delete;

  /// Appends. Returns false when the bytes cannot be written: the disk is full, or the file would exceed the limit on
  /// file sizes.
  bool append(std::span<const std::byte> bytes);
  /// The bytes written. To be called last.
  FilePart content() &&;

 private:
  explicit UnnamedFile(int descriptor) : descriptor_(descriptor) {}
  int descriptor_;
};

}  // namespace rhyton::io
