#include <rhyton/framework/fingerprint.h>

#include <bit>
#include <cstddef>

#include <farmhash.h>

namespace rhyton {
namespace {

std::uint64_t shift_mixed(std::uint64_t value) { return value ^ (value >> 47); }

/// The state of SipHash, with the names of the paper.
struct SipState {
  std::uint64_t v0;
  std::uint64_t v1;
  std::uint64_t v2;
  std::uint64_t v3;

  void round() {
    v0 += v1;
    v2 += v3;
    v1 = std::rotl(v1, 13) ^ v0;
    v3 = std::rotl(v3, 16) ^ v2;
    v0 = std::rotl(v0, 32);
    v2 += v1;
    v0 += v3;
    v1 = std::rotl(v1, 17) ^ v2;
    v3 = std::rotl(v3, 21) ^ v0;
    v2 = std::rotl(v2, 32);
  }

  void compress(std::uint64_t word) {
    v3 ^= word;
    round();
    round();
    v0 ^= word;
  }
};

/// Up to 8 bytes, the first as the lowest.
std::uint64_t little_endian(std::string_view bytes) {
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    word |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  }
  return word;
}

}  // namespace

std::uint64_t fingerprint64(std::string_view text) { return util::Fingerprint64(text.data(), text.size()); }

std::uint64_t joined_fingerprint(std::uint64_t first, std::uint64_t second) {
  constexpr std::uint64_t multiplier = 0xc6a4a7935bd1e995;
  std::uint64_t result = first ^ multiplier;
  result ^= shift_mixed(second * multiplier) * multiplier;
  result *= multiplier;
  result = shift_mixed(result) * multiplier;
  return shift_mixed(result);
}

std::uint64_t sip_hash(std::string_view text, const std::array<std::uint64_t, 2>& key) {
  SipState state{.v0 = key[0] ^ 0x736f6d6570736575,
                 .v1 = key[1] ^ 0x646f72616e646f6d,
                 .v2 = key[0] ^ 0x6c7967656e657261,
                 .v3 = key[1] ^ 0x7465646279746573};
  const std::size_t whole = text.size() / 8 * 8;
  for (std::size_t i = 0; i < whole; i += 8) state.compress(little_endian(text.substr(i, 8)));
  state.compress(little_endian(text.substr(whole)) | std::uint64_t{text.size() & 0xff} << 56);
  state.v2 ^= 0xff;
  for (int i = 0; i < 4; ++i) state.round();
  return state.v0 ^ state.v1 ^ state.v2 ^ state.v3;
}

}  // namespace rhyton
