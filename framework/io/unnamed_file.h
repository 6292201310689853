#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include <rhyton/framework/io/file_part.h>

namespace rhyton::io {

/// A temporary file that never has a name, for what is read once and too large to be held in memory. It is gone with
/// the last FilePart of it, also when the process is killed.
class UnnamedFile {
 public:
  /// An empty one in the folder that the environment variable TMPDIR names, else in /var/tmp, as /tmp may be memory.
  /// Nothing where the system makes no such file there.
  static std::optional<UnnamedFile> create();
  ~UnnamedFile();
  UnnamedFile(UnnamedFile&& other) noexcept;
  UnnamedFile& operator=(UnnamedFile&& other) noexcept;
  UnnamedFile(const UnnamedFile&) = delete;
  UnnamedFile& operator=(const UnnamedFile&) = delete;

  /// Writes behind what is there. False where the system does not take it: the disk is full, or files may not become
  /// that large.
  bool append(std::span<const std::byte> bytes);
  /// What was written. To be called last.
  FilePart content() &&;

 private:
  explicit UnnamedFile(int descriptor) : descriptor_(descriptor) {}
  int descriptor_;
};

}  // namespace rhyton::io
