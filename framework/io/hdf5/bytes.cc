#include <rhyton/framework/io/hdf5/bytes.h>

#include <algorithm>

#include <fmt/format.h>

namespace rhyton::io::hdf5 {

std::vector<std::byte> FileBytes::read(std::uint64_t offset, std::uint64_t count) const {
  if (offset > size_ || count > size_ - offset) {
    throw IOError(fmt::format("an HDF5 file of {} bytes ends before byte {} + {}", size_, offset, count));
  }
  if (!file_) {
    const auto block = image_.subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(count));
    return {block.begin(), block.end()};
  }
  std::vector<std::byte> block(static_cast<std::size_t>(count));
  file_->read(offset, block);
  return block;
}

void Site::damaged(std::string_view what) const {
  throw IOError(fmt::format("\"{}\": \"{}\" is damaged: {}", file, path, what));
}

void Site::refused(std::string_view what) const {
  throw IOError(fmt::format("\"{}\": \"{}\" {}, which is refused", file, path, what));
}

std::uint64_t Fields::number(std::size_t bytes) {
  std::uint64_t value = 0;
  std::size_t shift = 0;
  for (const std::byte byte : this->bytes(bytes)) {
    value |= std::to_integer<std::uint64_t>(byte) << shift;
    shift += 8;
  }
  return value;
}

std::span<const std::byte> Fields::bytes(std::uint64_t count) {
  if (count > rest_.size()) {
    site_.damaged(fmt::format("{} bytes are expected where {} are left", count, rest_.size()));
  }
  const auto taken = rest_.first(static_cast<std::size_t>(count));
  rest_ = rest_.subspan(taken.size());
  return taken;
}

std::string_view Fields::text(std::uint64_t count) {
  const auto block = bytes(count);
  const std::string_view whole(reinterpret_cast<const char*>(block.data()), block.size());
  return whole.substr(0, whole.find('\0'));
}

std::string_view Fields::terminated_text(bool padded) {
  const auto end = std::find(rest_.begin(), rest_.end(), std::byte{0});
  if (end == rest_.end()) {
    site_.damaged("a text does not end");
  }
  const auto length = static_cast<std::uint64_t>(end - rest_.begin());
  return text(padded ? padded_to_8(length + 1) : length + 1);
}

void Fields::expect(std::string_view letters) {
  const auto found = bytes(letters.size());
  if (std::memcmp(found.data(), letters.data(), letters.size()) != 0) {
    site_.damaged(fmt::format("\"{}\" is missing at its place", letters));
  }
}

std::uint64_t product(std::uint64_t a, std::uint64_t b, const Site& site, std::string_view what) {
  if (a != 0 && b > static_cast<std::uint64_t>(INT64_MAX) / a) {
    site.damaged(fmt::format("{} overflows: {} times {}", what, a, b));
  }
  return a * b;
}

}  // namespace rhyton::io::hdf5
