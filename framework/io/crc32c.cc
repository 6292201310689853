#include <rhyton/framework/io/crc32c.h>

#include <array>

namespace rhyton::io {
namespace {

/// The remainders of all bytes for the polynomial 0x1EDC6F41, with reflected bits.
constexpr std::array<std::uint32_t, 256> make_remainders() {
  constexpr std::uint32_t reflected_polynomial = 0x82F63B78;
  std::array<std::uint32_t, 256> remainders{};
  for (std::uint32_t byte = 0; byte < remainders.size(); ++byte) {
    std::uint32_t remainder = byte;
    for (int bit = 0; bit < 8; ++bit) remainder = (remainder >> 1U) ^ ((remainder & 1U) * reflected_polynomial);
    remainders[byte] = remainder;
  }
  return remainders;
}

constexpr std::array<std::uint32_t, 256> remainders = make_remainders();

}  // namespace

std::uint32_t crc32c(std::span<const std::byte> bytes) {
  std::uint32_t sum = ~std::uint32_t{0};
  for (const std::byte byte : bytes) {
    sum = (sum >> 8U) ^ remainders[(sum ^ std::to_integer<std::uint32_t>(byte)) & 0xFFU];
  }
  return ~sum;
}

}  // namespace rhyton::io
