#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include <rhyton/framework/error.h>

namespace rhyton::io {

/// Some bytes of an open file, read where they lie. A cheap handle; it keeps the file open, also when the file gets
/// another name or none.
class FilePart {
 public:
  /// The whole file. Throws NotFoundError when there is none, IOError when it is no regular file or cannot be opened.
  static FilePart whole(const std::filesystem::path& path);
  /// The whole file behind an open descriptor, which is this one's to close from now on. `name` is for messages. Throws
  /// as the other.
  static FilePart whole(int descriptor, std::string name);
  /// Of this part `size` bytes from `offset` on, which it must have. Throws ValueError otherwise.
  FilePart part(std::uint64_t offset, std::uint64_t size) const;

  std::uint64_t size() const { return size_; }
  /// Fills `bytes` from `offset` on. Throws IOError where the file ends before or cannot be read.
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
