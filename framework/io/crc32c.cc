#include <rhyton/framework/io/crc32c.h>

#include <array>
#include <bit>

namespace rhyton::io {
namespace {

constexpr std::size_t tables = 8;
using Tables = std::array<std::array<std::uint32_t, 256>, tables>;

/// Table k: the checksum of a byte that k zero bytes follow.
constexpr Tables make_tables() {
  constexpr std::uint32_t reversed_polynomial = 0x82F63B78;
  Tables result{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t value = byte;
    for (int bit = 0; bit < 8; ++bit) value = (value >> 1) ^ ((value & 1) != 0 ? reversed_polynomial : 0);
    result[0][byte] = value;
  }
  for (std::size_t table = 1; table < tables; ++table) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::uint32_t before = result[table - 1][byte];
      result[table][byte] = (before >> 8) ^ result[0][before & 0xFF];
    }
  }
  return result;
}

constexpr Tables table_of = make_tables();

}  // namespace

std::uint32_t crc32c(std::span<const std::byte> bytes) {
  std::uint32_t value = 0xFFFFFFFF;
  std::size_t i = 0;
  // Eight bytes at a time, whose table look-ups do not depend on each other.
  for (; i + tables <= bytes.size(); i += tables) {
    std::uint32_t next = 0;
    for (std::size_t k = 0; k < tables; ++k) {
      auto byte = std::to_integer<std::uint32_t>(bytes[i + k]);
      if (k < 4) byte ^= (value >> (8 * k)) & 0xFF;
      next ^= table_of[tables - 1 - k][byte];
    }
    value = next;
  }
  for (; i < bytes.size(); ++i) {
    value = (value >> 8) ^ table_of[0][(value ^ std::to_integer<std::uint32_t>(bytes[i])) & 0xFF];
  }
  return ~value;
}

std::uint32_t masked_crc32c(std::span<const std::byte> bytes) {
  constexpr std::uint32_t mask = 0xA282EAD8;
  return std::rotr(crc32c(bytes), 15) + mask;
}

}  // namespace rhyton::io
