// The checksums of the HDF5 format.

#include <algorithm>
#include <array>
#include <bit>

#include <rhyton/framework/io/hdf5/bytes.h>

namespace rhyton::io::hdf5 {

std::uint32_t metadata_checksum(std::span<const std::byte> bytes) {
  constexpr std::size_t block_bytes = 12;
  constexpr std::uint32_t start = 0xdeadbeef;
  std::uint32_t a = start + static_cast<std::uint32_t>(bytes.size());
  std::uint32_t b = a;
  std::uint32_t c = a;
  if (bytes.empty()) {
    return c;
  }
  const auto add_block = [&] {
    std::array<std::uint32_t, 3> words{};
    const std::size_t count = std::min(block_bytes, bytes.size());
    for (std::size_t index = 0; index < count; ++index) {
      words[index / 4] |= std::to_integer<std::uint32_t>(bytes[index]) << (8 * (index % 4));
    }
    a += words[0];
    b += words[1];
    c += words[2];
    bytes = bytes.subspan(count);
  };
  const auto mix = [](std::uint32_t& x, std::uint32_t& y, std::uint32_t& z, int shift) {
    x -= z;
    x ^= std::rotl(z, shift);
    z += y;
  };
  while (bytes.size() > block_bytes) {
    add_block();
    mix(a, b, c, 4);
    mix(b, c, a, 6);
    mix(c, a, b, 8);
    mix(a, b, c, 16);
    mix(b, c, a, 19);
    mix(c, a, b, 4);
  }
  add_block();
  const auto finish = [](std::uint32_t& x, std::uint32_t y, int shift) {
    x ^= y;
    x -= std::rotl(y, shift);
  };
  finish(c, b, 14);
  finish(a, c, 11);
  finish(b, a, 25);
  finish(c, b, 16);
  finish(a, c, 4);
  finish(b, a, 14);
  finish(c, b, 24);
  return c;
}

std::uint32_t fletcher32(std::span<const std::byte> bytes) {
  constexpr std::uint32_t modulus = 65535;
  std::uint32_t first = 0;
  std::uint32_t second = 0;
  for (std::size_t index = 0; index < bytes.size(); index += 2) {
    const auto high = std::to_integer<std::uint32_t>(bytes[index]) << 8;
    const auto low = index + 1 < bytes.size() ? std::to_integer<std::uint32_t>(bytes[index + 1]) : 0U;
    first = (first + (high | low)) % modulus;
    second = (second + first) % modulus;
  }
  return second << 16 | first;
}

}  // namespace rhyton::io::hdf5
