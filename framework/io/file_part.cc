#include <rhyton/framework/io/file_part.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <zlib.h>

namespace rhyton::io {
namespace {

[[noreturn]] void fail(const std::string& path, int error) {
  throw IOError(fmt::format("cannot read \"{}\": {}", path, std::generic_category().message(error)));
}

}  // namespace

class FilePart::Descriptor {
 public:
  // O_NONBLOCK: opening a pipe without a writer would block for ever.
  explicit Descriptor(const std::filesystem::path& path)
      : path_(path.string()), descriptor_(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)) {
    if (descriptor_ < 0 && (errno == ENOENT || errno == ENOTDIR)) {
      throw NotFoundError(fmt::format("no such file: \"{}\"", path_));
    }
    if (descriptor_ < 0) fail(path_, errno);
  }
  Descriptor(int descriptor, std::string name) : path_(std::move(name)), descriptor_(descriptor) {}
  ~Descriptor() { ::close(descriptor_); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  const std::string& path() const { return path_; }
  int get() const { return descriptor_; }

 private:
  std::string path_;
  int descriptor_;
};

FilePart::FilePart(std::shared_ptr<const Descriptor> file, std::uint64_t start, std::uint64_t size)
    : file_(std::move(file)), start_(start), size_(size) {}

FilePart FilePart::whole(const std::filesystem::path& path) { return whole(std::make_shared<const Descriptor>(path)); }

FilePart FilePart::whole(int descriptor, std::string name) {
  return whole(std::make_shared<const Descriptor>(descriptor, std::move(name)));
}

FilePart FilePart::whole(std::shared_ptr<const Descriptor> file) {
  struct stat status {};
  if (::fstat(file->get(), &status) != 0) fail(file->path(), errno);
  if (!S_ISREG(status.st_mode)) {
    throw IOError(fmt::format("cannot read \"{}\": it is not a regular file", file->path()));
  }
  return {std::move(file), 0, static_cast<std::uint64_t>(status.st_size)};
}

FilePart FilePart::part(std::uint64_t offset, std::uint64_t size) const {
  if (offset > size_ || size > size_ - offset) {
    throw ValueError(fmt::format("\"{}\" has no {} bytes from {} on", file_->path(), size, offset));
  }
  return {file_, start_ + offset, size};
}

void FilePart::read(std::uint64_t offset, std::span<std::byte> bytes) const {
  if (offset > size_ || bytes.size() > size_ - offset) {
    throw IOError(
        fmt::format("\"{}\" ends before byte {} of a part of {}", file_->path(), offset + bytes.size(), size_));
  }
  offset += start_;
  while (!bytes.empty()) {
    const ssize_t count = ::pread(file_->get(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail(file_->path(), errno);
    if (count == 0) throw IOError(fmt::format("\"{}\" became shorter while it was read", file_->path()));
    bytes = bytes.subspan(static_cast<std::size_t>(count));
    offset += static_cast<std::uint64_t>(count);
  }
}

std::uint32_t FilePart::checksum() const {
  constexpr std::uint64_t piece_bytes = std::uint64_t{256} << 10;  // stays in the second cache
  std::vector<std::byte> piece(static_cast<std::size_t>(std::min(piece_bytes, size_)));
  uLong sum = 0;
  for (std::uint64_t done = 0; done < size_;) {
    const std::span<std::byte> bytes(piece.data(), static_cast<std::size_t>(std::min(piece_bytes, size_ - done)));
    read(done, bytes);
    sum = crc32_z(sum, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
    done += bytes.size();
  }
  return static_cast<std::uint32_t>(sum);
}

}  // namespace rhyton::io
