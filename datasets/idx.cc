#include <rhyton/datasets/idx.h>

#include <bit>
#include <vector>

#include <fmt/format.h>

#include <rhyton/framework/io/atomic_file.h>
#include <rhyton/framework/io/gzip.h>
#include <rhyton/framework/io/stored_elements.h>

namespace rhyton::datasets {
namespace {

constexpr std::size_t word_bytes = 4;

std::uint32_t big_endian_word(std::span<const std::byte> bytes, std::size_t index) {
  std::uint32_t word = 0;
  for (const std::byte byte : bytes.subspan(index * word_bytes, word_bytes)) {
    word = word << 8 | std::to_integer<std::uint32_t>(byte);
  }
  return word;
}

std::optional<io::StoredType> type_of_code(std::uint32_t code) {
  switch (code) {
    case 0x08:
      return io::StoredType::uint8;
    case 0x09:
      return io::StoredType::int8;
    case 0x0b:
      return io::StoredType::int16;
    case 0x0c:
      return io::StoredType::int32;
    case 0x0d:
      return io::StoredType::float32;
    case 0x0e:
      return io::StoredType::float64;
    default:
      return std::nullopt;
  }
}

}  // namespace

Tensor parse_idx(std::span<const std::byte> bytes, std::string_view name, std::optional<std::uint32_t> magic) {
  if (bytes.size() < word_bytes) {
    throw IOError(fmt::format("\"{}\" is cut short: expected an IDX file of at least {} bytes, found {}", name,
                              word_bytes, bytes.size()));
  }
  const std::uint32_t found = big_endian_word(bytes, 0);
  if (magic && found != *magic) {
    throw IOError(
        fmt::format("\"{}\" has the wrong magic number: expected 0x{:08x}, found 0x{:08x}", name, *magic, found));
  }
  const auto type = type_of_code(found >> 8);
  if (!type) {
    throw IOError(fmt::format("\"{}\" is not an IDX file: expected a magic number such as 0x{:08x}, found 0x{:08x}",
                              name, idx_images_magic, found));
  }
  const auto rank = static_cast<std::size_t>(found & 0xff);
  if (rank < 1 || rank > static_cast<std::size_t>(Shape::max_rank)) {
    throw IOError(fmt::format("\"{}\" claims {} axes: expected 1 to {}", name, rank, Shape::max_rank));
  }
  const std::size_t header_bytes = word_bytes * (1 + rank);
  if (bytes.size() < header_bytes) {
    throw IOError(
        fmt::format("\"{}\" is cut short: expected a header of {} bytes, found {}", name, header_bytes, bytes.size()));
  }
  Shape shape;
  for (std::size_t axis = 0; axis < rank; ++axis) {
    shape.push_back(big_endian_word(bytes, 1 + axis));
  }
  const io::StoredLayout layout = {.type = *type, .byte_order = std::endian::big};
  return io::tensor_from_stored(shape, layout, bytes.subspan(header_bytes), name);
}

Tensor read_idx(const std::filesystem::path& path, std::optional<std::uint32_t> magic) {
  std::vector<std::byte> bytes = io::read_file(path);
  if (io::is_gzip(bytes)) {
    bytes = io::gzip_decompress(bytes, path.string());
  }
  return parse_idx(bytes, path.string(), magic);
}

}  // namespace rhyton::datasets
