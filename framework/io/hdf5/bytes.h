#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <rhyton/framework/error.h>
#include <rhyton/framework/io/file_part.h>

/// The bytes of an HDF5 file and how they are parsed. Only for the files that implement hdf5_structure.h.
namespace rhyton::io::hdf5 {

/// A file on disk or in memory.
class FileBytes {
 public:
  explicit FileBytes(FilePart file) : file_(std::move(file)), size_(file_->size()) {}
  /// `image` must outlive this.
  explicit FileBytes(std::span<const std::byte> image) : image_(image), size_(image.size()) {}

  std::uint64_t size() const { return size_; }
  /// Throws IOError when the file is shorter, or cannot be read.
  std::vector<std::byte> read(std::uint64_t offset, std::uint64_t count) const;

 private:
  std::optional<FilePart> file_;
  std::span<const std::byte> image_;
  std::uint64_t size_ = 0;
};

/// The object that is being checked, for messages.
struct Site {
  std::string_view file;
  std::string_view path;

  /// Throws IOError: `"file.h5": "/path" is damaged: <what>`.
  [[noreturn]] void damaged(std::string_view what) const;
  /// Throws IOError: `"file.h5": "/path" <what>, which is refused`.
  [[noreturn]] void refused(std::string_view what) const;
};

/// The address of objects that were not written.
inline constexpr std::uint64_t undefined_address = UINT64_MAX;

/// Reads little-endian fields from the front of a block. Throws as `Site::damaged` where the block is too short.
class Fields {
 public:
  Fields(std::span<const std::byte> block, const Site& site) : rest_(block), site_(site) {}

  std::uint64_t number(std::size_t bytes);
  std::uint64_t address() { return number(8); }
  std::uint64_t length() { return number(8); }
  std::span<const std::byte> bytes(std::uint64_t count);
  void skip(std::uint64_t count) { bytes(count); }
  /// A text of that many bytes, up to its first zero byte.
  std::string_view text(std::uint64_t count);
  /// A text up to a zero byte, which is required; with `padded`, also skips the padding to a multiple of 8.
  std::string_view terminated_text(bool padded);
  /// Throws when the block does not begin with these letters.
  void expect(std::string_view letters);
  std::uint64_t left() const { return rest_.size(); }
  std::span<const std::byte> rest() const { return rest_; }

 private:
  std::span<const std::byte> rest_;
  Site site_;
};

/// The bytes of the checksum at the end of blocks of the newer format.
inline constexpr std::uint64_t checksum_bytes = 4;
/// That checksum (Bob Jenkins's lookup3).
std::uint32_t metadata_checksum(std::span<const std::byte> bytes);
/// The checksum after chunks that have the filter Fletcher-32.
std::uint32_t fletcher32(std::span<const std::byte> bytes);

/// a * b, or throws that `what` overflows.
std::uint64_t product(std::uint64_t a, std::uint64_t b, const Site& site, std::string_view what);

constexpr std::uint64_t padded_to_8(std::uint64_t bytes) { return (bytes + 7) / 8 * 8; }

}  // namespace rhyton::io::hdf5
