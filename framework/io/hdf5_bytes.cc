#include <rhyton/framework/io/hdf5_bytes.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>

namespace rhyton::io::hdf5 {

struct FileBytes::Descriptor {
  explicit Descriptor(const std::filesystem::path& path)
      : name(path.string()), number(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (number < 0) {
      throw IOError(fmt::format("cannot read \"{}\": {}", name, std::strerror(errno)));
    }
  }
  ~Descriptor() { ::close(number); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  std::string name;
  int number;
};

FileBytes::FileBytes(const std::filesystem::path& path) : descriptor_(std::make_unique<Descriptor>(path)) {
  struct stat status {};
  if (::fstat(descriptor_->number, &status) != 0) {
    throw IOError(fmt::format("cannot read \"{}\": {}", descriptor_->name, std::strerror(errno)));
  }
  size_ = static_cast<std::uint64_t>(status.st_size);
}

FileBytes::FileBytes(std::span<const std::byte> image) : image_(image), size_(image.size()) {}
FileBytes::~FileBytes() = default;
FileBytes::FileBytes(FileBytes&&) noexcept = default;
FileBytes& FileBytes::operator=(FileBytes&&) noexcept = default;

std::vector<std::byte> FileBytes::read(std::uint64_t offset, std::uint64_t count) const {
  if (offset > size_ || count > size_ - offset) {
    throw IOError(fmt::format("an HDF5 file of {} bytes ends before byte {} + {}", size_, offset, count));
  }
  if (descriptor_ == nullptr) {
    const auto block = image_.subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(count));
    return {block.begin(), block.end()};
  }
  std::vector<std::byte> block(static_cast<std::size_t>(count));
  for (std::size_t filled = 0; filled < block.size();) {
    const ssize_t got =
        ::pread(descriptor_->number, block.data() + filled, block.size() - filled, static_cast<off_t>(offset + filled));
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got <= 0) {
      throw IOError(fmt::format("cannot read \"{}\": {}", descriptor_->name,
                                got == 0 ? "it became shorter meanwhile" : std::strerror(errno)));
    }
    filled += static_cast<std::size_t>(got);
  }
  return block;
}

void Site::damaged(std::string_view what) const {
  throw IOError(fmt::format("\"{}\": \"{}\" is damaged: {}", file, path, what));
}

void Site::refused(std::string_view what) const {
  throw IOError(fmt::format("\"{}\": \"{}\" {}, which is refused", file, path, what));
}

std::uint64_t Fields::number(std::size_t bytes) {
  std::uint64_t value = 0;
  std::size_t shift = 0;
  for (const std::byte byte : this->bytes(bytes)) {
    value |= std::to_integer<std::uint64_t>(byte) << shift;
    shift += 8;
  }
  return value;
}

std::span<const std::byte> Fields::bytes(std::uint64_t count) {
  if (count > rest_.size()) {
    site_.damaged(fmt::format("{} bytes are expected where {} are left", count, rest_.size()));
  }
  const auto taken = rest_.first(static_cast<std::size_t>(count));
  rest_ = rest_.subspan(taken.size());
  return taken;
}

std::string_view Fields::text(std::uint64_t count) {
  const auto block = bytes(count);
  const std::string_view whole(reinterpret_cast<const char*>(block.data()), block.size());
  return whole.substr(0, whole.find('\0'));
}

std::string_view Fields::terminated_text(bool padded) {
  const auto end = std::find(rest_.begin(), rest_.end(), std::byte{0});
  if (end == rest_.end()) {
    site_.damaged("a text does not end");
  }
  const auto length = static_cast<std::uint64_t>(end - rest_.begin());
  return text(padded ? padded_to_8(length + 1) : length + 1);
}

void Fields::expect(std::string_view letters) {
  const auto found = bytes(letters.size());
  if (std::memcmp(found.data(), letters.data(), letters.size()) != 0) {
    site_.damaged(fmt::format("\"{}\" is missing where it must stand", letters));
  }
}

std::uint64_t product(std::uint64_t a, std::uint64_t b, const Site& site, std::string_view what) {
  if (a != 0 && b > static_cast<std::uint64_t>(INT64_MAX) / a) {
    site.damaged(fmt::format("{} overflows: {} times {}", what, a, b));
  }
  return a * b;
}

}  // namespace rhyton::io::hdf5
