#include <rhyton/framework/io/sha256.h>

#include <algorithm>
#include <bit>
#include <fstream>
#include <vector>

#include <fmt/format.h>

namespace rhyton::io {
namespace {

constexpr std::array<std::uint32_t, 64> round_constants = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

}  // namespace

Sha256::Sha256()
    : state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19} {}

void Sha256::process(const std::byte* block) {
  std::array<std::uint32_t, 64> words;
  for (std::size_t index = 0; index < 16; ++index) {
    words[index] = 0;
    for (std::size_t byte = 0; byte < 4; ++byte) {
      words[index] = words[index] << 8 | std::to_integer<std::uint32_t>(block[4 * index + byte]);
    }
  }
  for (std::size_t index = 16; index < 64; ++index) {
    const std::uint32_t early = words[index - 15];
    const std::uint32_t late = words[index - 2];
    const std::uint32_t sigma0 = std::rotr(early, 7) ^ std::rotr(early, 18) ^ (early >> 3);
    const std::uint32_t sigma1 = std::rotr(late, 17) ^ std::rotr(late, 19) ^ (late >> 10);
    words[index] = words[index - 16] + sigma0 + words[index - 7] + sigma1;
  }
  auto [a, b, c, d, e, f, g, h] = state_;
  for (std::size_t index = 0; index < 64; ++index) {
    const std::uint32_t sum1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
    const std::uint32_t choice = (e & f) ^ (~e & g);
    const std::uint32_t first = h + sum1 + choice + round_constants[index] + words[index];
    const std::uint32_t sum0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
    const std::uint32_t majority = (a & b) ^ (a & c) ^ (b & c);
    h = g;
    g = f;
    f = e;
    e = d + first;
    d = c;
    c = b;
    b = a;
    a = first + sum0 + majority;
  }
  const std::array<std::uint32_t, 8> added = {a, b, c, d, e, f, g, h};
  for (std::size_t index = 0; index < state_.size(); ++index) {
    state_[index] += added[index];
  }
}

void Sha256::update(std::span<const std::byte> bytes) {
  std::size_t held = length_ % block_bytes;
  length_ += bytes.size();
  if (held > 0) {
    const std::size_t taken = std::min(block_bytes - held, bytes.size());
    std::copy_n(bytes.begin(), taken, pending_.begin() + static_cast<std::ptrdiff_t>(held));
    bytes = bytes.subspan(taken);
    held += taken;
    if (held < block_bytes) {
      return;
    }
    process(pending_.data());
  }
  for (; bytes.size() >= block_bytes; bytes = bytes.subspan(block_bytes)) {
    process(bytes.data());
  }
  std::copy(bytes.begin(), bytes.end(), pending_.begin());
}

std::string Sha256::hex_digest() const {
  Sha256 finished = *this;
  const std::uint64_t bits = length_ * 8;
  std::vector<std::byte> ending = {std::byte{0x80}};
  while ((length_ + ending.size()) % block_bytes != block_bytes - 8) {
    ending.push_back(std::byte{0});
  }
  for (int shift = 56; shift >= 0; shift -= 8) {
    ending.push_back(static_cast<std::byte>(bits >> shift & 0xff));
  }
  finished.update(ending);
  std::string digest;
  for (const std::uint32_t word : finished.state_) {
    digest += fmt::format("{:08x}", word);
  }
  return digest;
}

std::string sha256(std::span<const std::byte> bytes) {
  Sha256 hash;
  hash.update(bytes);
  return hash.hex_digest();
}

std::string sha256_of_file(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) {
    throw NotFoundError(fmt::format("no such file: \"{}\"", path.string()));
  }
  std::ifstream file(path, std::ios::binary);
  Sha256 hash;
  std::vector<char> piece(std::size_t{1} << 20);
  while (file) {
    file.read(piece.data(), static_cast<std::streamsize>(piece.size()));
    hash.update(std::as_bytes(std::span(piece.data(), static_cast<std::size_t>(file.gcount()))));
  }
  if (!file.eof()) {
    throw IOError(fmt::format("cannot read \"{}\"", path.string()));
  }
  return hash.hex_digest();
}

}  // namespace rhyton::io
