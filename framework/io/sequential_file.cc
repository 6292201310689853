#include <rhyton/framework/io/sequential_file.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <zlib.h>

namespace rhyton::io {
namespace {

constexpr std::size_t part_size = std::size_t{256} << 10;

/// Unpacks compressed data that arrive in parts.
class PartInflater {
 public:
  explicit PartInflater(Compression compression) : has_members_(compression == Compression::gzip) {
    constexpr int window_bits = 15;
    constexpr int gzip_format = 16;
    if (inflateInit2(&stream_, compression == Compression::gzip ? window_bits + gzip_format : window_bits) != Z_OK) {
      throw ResourceExhaustedError("no memory to unpack a file");
    }
  }
  ~PartInflater() { inflateEnd(&stream_); }
  PartInflater(const PartInflater&) = delete;
  PartInflater& operator=(const PartInflater&) = delete;

  /// Whether more than the last byte of a member has been read.
  bool is_within_member() const { return is_within_member_; }
  /// Whether no other member may follow.
  bool is_over() const { return is_over_; }

  /// Unpacks from the front of `packed`, which it shortens, and returns the number of bytes. Throws IOError for damaged data.
  std::size_t unpack(std::string_view& packed, std::vector<char>& unpacked, const std::filesystem::path& path) {
    if (!is_within_member_) inflateReset(&stream_);
    is_within_member_ = true;
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
    stream_.avail_in = static_cast<uInt>(packed.size());
    stream_.next_out = reinterpret_cast<Bytef*>(unpacked.data());
    stream_.avail_out = static_cast<uInt>(unpacked.size());
    const int status = inflate(&stream_, Z_NO_FLUSH);
    packed.remove_prefix(packed.size() - stream_.avail_in);
    if (status == Z_STREAM_END) {
      is_within_member_ = false;
      is_over_ = !has_members_;
    } else if (status != Z_OK && status != Z_BUF_ERROR) {
      throw IOError(fmt::format("\"{}\" is damaged: inflate() failed with error {}: {}", path.string(), status,
                                stream_.msg != nullptr ? stream_.msg : "invalid data"));
    }
    return unpacked.size() - stream_.avail_out;
  }

 private:
  z_stream stream_{};
  bool has_members_;
  bool is_within_member_ = false;
  bool is_over_ = false;
};

}  // namespace

std::optional<Compression> find_compression(std::string_view name) {
  if (name.empty()) return Compression::none;
  if (name == "ZLIB") return Compression::zlib;
  if (name == "GZIP") return Compression::gzip;
  return std::nullopt;
}

struct SequentialFile::State {
  std::filesystem::path path;
  std::ifstream file;
  std::optional<PartInflater> inflater;
  std::vector<char> buffer = std::vector<char>(part_size);
  std::vector<char> unpacked;
  /// What has been read from the file and is not unpacked yet.
  std::string_view packed;
  /// The content that has not been returned yet.
  std::string_view rest;

  std::string_view read_part() {
    file.read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
    if (file.bad()) throw IOError(fmt::format("\"{}\" cannot be read", path.string()));
    return {buffer.data(), static_cast<std::size_t>(file.gcount())};
  }

  /// Makes `rest` the next content if it is empty. False at the end.
  bool refill() {
    if (!inflater && rest.empty()) rest = read_part();
    while (inflater && rest.empty() && !inflater->is_over()) {
      if (packed.empty()) packed = read_part();
      if (packed.empty()) {
        if (!inflater->is_within_member()) return false;
        // zlib may still hold content that did not fit.
        rest = {unpacked.data(), inflater->unpack(packed, unpacked, path)};
        if (!rest.empty()) return true;
        if (!inflater->is_within_member()) return false;
        throw IOError(fmt::format("\"{}\" is cut short: its compressed data end in the middle", path.string()));
      }
      rest = {unpacked.data(), inflater->unpack(packed, unpacked, path)};
    }
    return !rest.empty();
  }
};

SequentialFile::SequentialFile(const std::filesystem::path& path, Compression compression)
    : state_(std::make_unique<State>()) {
  state_->path = path;
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status))
    throw NotFoundError(fmt::format("{}; No such file or directory", path.string()));
  if (std::filesystem::is_directory(status)) throw IOError(fmt::format("{}; Is a directory", path.string()));
  state_->file.open(path, std::ios::binary);
  if (!state_->file) {
    throw IOError(fmt::format("{}; {}", path.string(), std::generic_category().message(errno)));
  }
  if (compression == Compression::none) return;
  state_->inflater.emplace(compression);
  state_->unpacked.resize(part_size);
}

SequentialFile::~SequentialFile() = default;
SequentialFile::SequentialFile(SequentialFile&&) noexcept = default;
SequentialFile& SequentialFile::operator=(SequentialFile&&) noexcept = default;

std::size_t SequentialFile::read(char* bytes, std::size_t count) {
  std::size_t done = 0;
  while (done < count && state_->refill()) {
    const std::size_t part = std::min(count - done, state_->rest.size());
    std::memcpy(bytes + done, state_->rest.data(), part);
    state_->rest.remove_prefix(part);
    done += part;
  }
  return done;
}

std::optional<std::string> SequentialFile::read_line() {
  if (!state_->refill()) return std::nullopt;
  std::string line;
  while (state_->refill()) {
    std::string_view& rest = state_->rest;
    const std::size_t end = rest.find('\n');
    const std::size_t size = end == std::string_view::npos ? rest.size() : end + 1;
    line += rest.substr(0, size);
    rest.remove_prefix(size);
    if (end != std::string_view::npos) break;
  }
  return line;
}

}  // namespace rhyton::io
