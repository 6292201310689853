#include <rhyton/framework/io/zip/directory.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace rhyton::io {
namespace {

using Bytes = std::span<const std::byte>;

/// The little-endian number of `count` bytes at `offset`, which must be there.
std::uint64_t number(Bytes bytes, std::size_t offset, std::size_t count) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < count; ++i) value |= std::to_integer<std::uint64_t>(bytes[offset + i]) << (8 * i);
  return value;
}

std::vector<std::byte> read(const FilePart& file, std::uint64_t offset, std::uint64_t size) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(size));
  file.read(offset, bytes);
  return bytes;
}

constexpr std::size_t end_bytes = 22;
constexpr std::size_t entry_bytes = 46;
constexpr std::size_t local_bytes = 30;
constexpr std::uint64_t longest_comment = 65535;
constexpr std::uint64_t largest_directory = std::uint64_t{16} << 20;
constexpr std::uint64_t beyond_32_bits = 0xffffffff;

struct Directory {
  std::uint64_t offset;
  std::uint64_t size;
};

std::optional<Directory> find_directory(const FilePart& archive) {
  if (archive.size() < end_bytes) return std::nullopt;
  const std::uint64_t tail_bytes = std::min(archive.size(), end_bytes + longest_comment);
  const std::vector<std::byte> tail = read(archive, archive.size() - tail_bytes, tail_bytes);
  for (std::size_t at = tail.size() - end_bytes + 1; at-- > 0;) {
    if (number(tail, at, 4) != 0x06054b50) continue;
    const Directory directory{.offset = number(tail, at + 16, 4), .size = number(tail, at + 12, 4)};
    const bool fits = directory.offset != beyond_32_bits && directory.size <= largest_directory &&
                      directory.offset + directory.size <= archive.size();
    return fits ? std::optional(directory) : std::nullopt;
  }
  return std::nullopt;
}

bool is_name(Bytes bytes, std::string_view name) {
  return std::equal(bytes.begin(), bytes.end(), name.begin(), name.end(),
                    [](std::byte byte, char letter) { return std::to_integer<char>(byte) == letter; });
}

}  // namespace

std::optional<std::uint64_t> zip_data_offset(const FilePart& archive, std::string_view name) {
  const std::optional<Directory> directory = find_directory(archive);
  if (!directory) return std::nullopt;
  const std::vector<std::byte> entries = read(archive, directory->offset, directory->size);
  for (std::size_t at = 0; at + entry_bytes <= entries.size() && number(entries, at, 4) == 0x02014b50;) {
    const std::uint64_t name_bytes = number(entries, at + 28, 2);
    const std::uint64_t rest = name_bytes + number(entries, at + 30, 2) + number(entries, at + 32, 2);
    if (rest > entries.size() - at - entry_bytes) return std::nullopt;
    if (is_name(Bytes(entries).subspan(at + entry_bytes, name_bytes), name)) {
      const std::uint64_t header = number(entries, at + 42, 4);
      if (header > archive.size() || local_bytes > archive.size() - header) return std::nullopt;
      const std::vector<std::byte> local = read(archive, header, local_bytes);
      if (number(local, 0, 4) != 0x04034b50) return std::nullopt;
      return header + local_bytes + number(local, 26, 2) + number(local, 28, 2);
    }
    at += entry_bytes + rest;
  }
  return std::nullopt;
}

}  // namespace rhyton::io
