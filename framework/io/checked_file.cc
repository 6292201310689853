#include <rhyton/framework/io/checked_file.h>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <system_error>

#include <fmt/format.h>

#include <rhyton/framework/error.h>
#include <rhyton/framework/io/file_part.h>
#include <rhyton/framework/io/file_size_signal.h>

namespace rhyton::io {
namespace {

// A marker, the number of bytes before it (64 bits), and their CRC-32; numbers are little-endian.
constexpr std::string_view mark = "RHYTCRC1";
constexpr std::size_t size_bytes = 8;
constexpr std::size_t sum_bytes = 4;
constexpr std::size_t ending_bytes = mark.size() + size_bytes + sum_bytes;
using Ending = std::array<std::byte, ending_bytes>;

void put(std::span<std::byte> target, std::uint64_t number) {
  for (std::size_t i = 0; i < target.size(); ++i) target[i] = static_cast<std::byte>(number >> (8 * i) & 0xff);
}

std::uint64_t take(std::span<const std::byte> source) {
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < source.size(); ++i) number |= std::to_integer<std::uint64_t>(source[i]) << (8 * i);
  return number;
}

Ending ending_of(const FilePart& content) {
  Ending ending{};
  const std::span<std::byte> all(ending);
  std::ranges::copy(std::as_bytes(std::span(mark)), ending.begin());
  put(all.subspan(mark.size(), size_bytes), content.size());
  put(all.last(sum_bytes), content.checksum());
  return ending;
}

}  // namespace

void append_checksum(const std::filesystem::path& path, std::string_view name) {
  const Ending ending = ending_of(FilePart::whole(path));
  const NoFileSizeSignal errors_only;
  const auto fail = [&](int error) {
    throw IOError(fmt::format("cannot write \"{}\": {}", name, std::generic_category().message(error)));
  };
  const int file = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (file < 0) fail(errno);
  int error = 0;
  for (std::span<const std::byte> rest = ending; !rest.empty() && error == 0;) {
    const ssize_t written = ::write(file, rest.data(), rest.size());
    if (written < 0 && errno != EINTR) error = errno;
    if (written > 0) rest = rest.subspan(static_cast<std::size_t>(written));
  }
  if (::close(file) != 0 && error == 0) error = errno;
  if (error != 0) fail(error);
}

bool verify_checksum(const std::filesystem::path& path) {
  const FilePart file = FilePart::whole(path);
  if (file.size() < ending_bytes) return false;
  const FilePart content = file.part(0, file.size() - ending_bytes);
  Ending found{};
  file.read(content.size(), found);
  const std::span<const std::byte> all(found);
  const bool is_there = std::ranges::equal(all.first(mark.size()), std::as_bytes(std::span(mark))) &&
                        take(all.subspan(mark.size(), size_bytes)) == content.size();
  if (!is_there) return false;
  const auto expected = static_cast<std::uint32_t>(take(all.last(sum_bytes)));
  const std::uint32_t received = content.checksum();
  if (received != expected) {
    throw IOError(
        fmt::format("\"{}\" is damaged: its checksum is {:08x}, expected {:08x}", path.string(), received, expected));
  }
  return true;
}

}  // namespace rhyton::io
