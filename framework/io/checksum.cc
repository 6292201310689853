#include <rhyton/framework/io/checksum.h>

#include <openssl/evp.h>

#include <array>
#include <fstream>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include <rhyton/framework/error.h>

namespace rhyton::io {
namespace {

void require(int status) {
  if (status != 1) throw RuntimeError("OpenSSL cannot compute a checksum.");
}

}  // namespace

/// A computation of OpenSSL's.
class Checksum::State {
 public:
  State() : context_(EVP_MD_CTX_new()) {
    if (context_ == nullptr) throw RuntimeError("OpenSSL has no memory.");
  }
  EVP_MD_CTX* context() const { return context_.get(); }

 private:
  struct Free {
    void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
  };
  std::unique_ptr<EVP_MD_CTX, Free> context_;
};

std::string name_of(ChecksumKind kind) { return kind == ChecksumKind::md5 ? "MD5" : "SHA-256"; }

Checksum::Checksum(ChecksumKind kind) : state_(std::make_unique<State>()) {
  require(EVP_DigestInit_ex(state_->context(), kind == ChecksumKind::md5 ? EVP_md5() : EVP_sha256(), nullptr));
}

Checksum::~Checksum() = default;

void Checksum::update(std::span<const std::byte> bytes) {
  require(EVP_DigestUpdate(state_->context(), bytes.data(), bytes.size()));
}

std::string Checksum::hex_digest() const {
  const State finished;
  require(EVP_MD_CTX_copy_ex(finished.context(), state_->context()));
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int length = 0;
  require(EVP_DigestFinal_ex(finished.context(), digest.data(), &length));
  std::string text;
  for (unsigned int i = 0; i < length; ++i) text += fmt::format("{:02x}", digest.at(i));
  return text;
}

std::string checksum(ChecksumKind kind, std::span<const std::byte> bytes) {
  Checksum sum(kind);
  sum.update(bytes);
  return sum.hex_digest();
}

std::string checksum_of_file(ChecksumKind kind, const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) {
    throw NotFoundError(fmt::format("no such file: \"{}\"", path.string()));
  }
  std::ifstream file(path, std::ios::binary);
  Checksum sum(kind);
  std::vector<char> piece(std::size_t{1} << 20);
  while (file) {
    file.read(piece.data(), static_cast<std::streamsize>(piece.size()));
    sum.update(std::as_bytes(std::span(piece.data(), static_cast<std::size_t>(file.gcount()))));
  }
  if (!file.eof()) {
    throw IOError(fmt::format("cannot read \"{}\"", path.string()));
  }
  return sum.hex_digest();
}

}  // namespace rhyton::io
