#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include <rhyton/framework/error.h>

namespace rhyton::io {

/// A range of bytes of an open file, read in place. A cheap handle; it keeps the file open, also when the file is
/// renamed or removed.
class FilePart {
 public:
  /// The whole file. Throws NotFoundError when there is none, IOError when it is no regular file or cannot be opened.
  static FilePart whole(const std::filesystem::path& path);
  /// The whole file of an open descriptor, which the result owns and closes. `name` is for error messages. Throws
  /// IOError when it is no regular file.
  static FilePart whole(int descriptor, std::string name);
  /// The `size` bytes of this part from `offset` on. Throws ValueError when the part has fewer.
  FilePart part(std::uint64_t offset, std::uint64_t size) const;

  std::uint64_t size() const { return size_; }
  /// Reads into all of `bytes`, from `offset` on. Throws IOError when the part or the file ends too early, or cannot be
  /// read.
  void read(std::uint64_t offset, std::span<std::byte> bytes) const;
  /// The CRC-32 of all bytes.
  std::uint32_t checksum() const;

 private:
  class Descriptor;
  FilePart(std::shared_ptr<const Descriptor> file, std::uint64_t start, std::uint64_t size);
  static FilePart whole(std::shared_ptr<const Descriptor> file);

  std::shared_ptr<const Descriptor> file_;
  std::uint64_t start_;
  std::uint64_t size_;
};

}  // namespace rhyton::io
