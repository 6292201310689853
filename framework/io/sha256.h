#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include <rhyton/framework/error.h>

namespace rhyton::io {

/// The SHA-256 checksum (FIPS 180-4) of bytes that are passed in pieces.
class Sha256 {
 public:
  Sha256();
  void update(std::span<const std::byte> bytes);
  /// The checksum of all bytes so far, as 64 hexadecimal digits in lower case; more bytes may follow.
  std::string hex_digest() const;

 private:
  static constexpr std::size_t block_bytes = 64;
  void process(const std::byte* block);

  std::array<std::uint32_t, 8> state_;
  std::array<std::byte, block_bytes> pending_{};
  std::uint64_t length_ = 0;
};

/// The checksum of `bytes`.
std::string sha256(std::span<const std::byte> bytes);

/// The checksum of a file, read in pieces. Throws NotFoundError or IOError.
std::string sha256_of_file(const std::filesystem::path& path);

}  // namespace rhyton::io
