#include <rhyton/framework/io/unnamed_file.h>

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <string_view>
#include <utility>

#include <rhyton/framework/environment.h>
#include <rhyton/framework/io/file_size_signal.h>

namespace rhyton::io {

std::optional<UnnamedFile> UnnamedFile::create() {
  const std::string_view folder_of_environment = environment("TMPDIR");
  const std::string folder(folder_of_environment.empty() ? "/var/tmp" : folder_of_environment);
  const int descriptor = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_EXCL | O_CLOEXEC, 0600);
  return descriptor < 0 ? std::nullopt : std::optional(UnnamedFile(descriptor));
}

UnnamedFile::~UnnamedFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

UnnamedFile::UnnamedFile(UnnamedFile&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

UnnamedFile& UnnamedFile::operator=(UnnamedFile&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

bool UnnamedFile::append(std::span<const std::byte> bytes) {
  const NoFileSizeSignal errors_only;
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor_, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  return true;
}

FilePart UnnamedFile::content() && { return FilePart::whole(std::exchange(descriptor_, -1), "a temporary file"); }

}  // namespace rhyton::io
