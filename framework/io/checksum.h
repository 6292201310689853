#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

namespace rhyton::io {

/// How a checksum is computed: MD5 (RFC 1321), for files whose publisher has no better one, or SHA-256 (FIPS 180-4).
enum class ChecksumKind { md5, sha256 };

/// "MD5" or "SHA-256".
std::string name_of(ChecksumKind kind);

/// The checksum of bytes that are passed in pieces.
class Checksum {
 public:
  /// Throws RuntimeError if OpenSSL does not provide this kind.
  explicit Checksum(ChecksumKind kind);
  ~Checksum();
  Checksum(const Checksum&) = delete;
  Checksum& operator=(const Checksum&) = delete;
  void update(std::span<const std::byte> bytes);
  /// The checksum of all bytes so far, as hexadecimal digits in lower case; more bytes may follow.
  std::string hex_digest() const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

/// The checksum of `bytes`.
std::string checksum(ChecksumKind kind, std::span<const std::byte> bytes);

/// The checksum of a file, read in pieces. Throws NotFoundError or IOError.
std::string checksum_of_file(ChecksumKind kind, const std::filesystem::path& path);

}  // namespace rhyton::io
