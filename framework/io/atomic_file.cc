#include <rhyton/framework/io/atomic_file.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <random>
#include <string>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include <rhyton/framework/io/file_size_signal.h>
#include <rhyton/framework/io/memory_errors.h>
#include <rhyton/framework/io/unfinished_file.h>

namespace rhyton::io {
namespace {

namespace fs = std::filesystem;

std::string reason(int error) { return std::generic_category().message(error); }

class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int descriptor) : descriptor_(descriptor) {}
  FileDescriptor(FileDescriptor&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  ~FileDescriptor() { close(); }

  int get() const { return descriptor_; }
  bool is_open() const { return descriptor_ >= 0; }
  /// False when the system reports a late write error.
  bool close() { return descriptor_ < 0 || ::close(std::exchange(descriptor_, -1)) == 0; }

 private:
  int descriptor_ = -1;
};

FileDescriptor open_file(const fs::path& path, int flags, mode_t mode = 0) {
  int descriptor = -1;
  do {
    descriptor = ::open(path.c_str(), flags | O_CLOEXEC, mode);
  } while (descriptor < 0 && errno == EINTR);
  return FileDescriptor(descriptor);
}

constexpr std::size_t suffix_length = 10;
constexpr std::string_view temporary_ending = ".tmp";

std::string random_suffix() {
  constexpr std::string_view alphabet = "abcdefghijklmnopqrstuvwxyz0123456789";
  std::random_device device;
  std::uniform_int_distribution<std::size_t> pick(0, alphabet.size() - 1);
  std::string suffix;
  for (std::size_t count = 0; count < suffix_length; ++count) {
    suffix += alphabet[pick(device)];
  }
  return suffix;
}

/// Locks a temporary file while its writer is alive; the lock ends with the process. It belongs to the open file
/// description, so that libraries may open, lock and close the file independently. False if another process holds it.
bool lock(const FileDescriptor& file) {
  struct flock whole {};
  whole.l_type = F_WRLCK;
  whole.l_whence = SEEK_SET;
  return ::fcntl(file.get(), F_OFD_SETLK, &whole) == 0;
}

/// False for a file that was removed.
bool has_name(const FileDescriptor& file) {
  struct stat status {};
  return ::fstat(file.get(), &status) == 0 && status.st_nlink > 0;
}

/// Removes temporary files of that name whose writers were killed.
void remove_abandoned(const fs::path& folder, const std::string& name) {
  std::error_code error;
  for (fs::directory_iterator entry(folder.empty() ? "." : folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string found = entry->path().filename().string();
    if (found.size() != name.size() + 1 + suffix_length + temporary_ending.size() || !found.starts_with(name + ".") ||
        !found.ends_with(temporary_ending)) {
      continue;
    }
    const FileDescriptor file = open_file(entry->path(), O_RDWR | O_NOFOLLOW | O_NONBLOCK);
    if (file.is_open() && lock(file) && has_name(file)) ::unlink(entry->path().c_str());
  }
}

fs::path behind_links(const fs::path& path) {
  std::error_code error;
  if (fs::is_symlink(path, error)) {
    fs::path target = fs::weakly_canonical(path, error);
    if (!error) {
      return target;
    }
  }
  return path;
}

}  // namespace

struct AtomicFile::State {
  fs::path destination;
  fs::path temporary;
  UnfinishedFile unfinished;
  FileDescriptor file;
  mode_t mode = 0;
  bool committed = false;
};

AtomicFile::AtomicFile(const fs::path& destination) : state_(std::make_unique<State>()) {
  state_->destination = behind_links(destination);
  std::error_code error;
  if (state_->destination.filename().empty() || fs::is_directory(state_->destination, error)) {
    throw IOError(fmt::format("cannot write \"{}\": it names a folder", destination.string()));
  }
  const std::string name = "." + state_->destination.filename().string().substr(0, 200);
  remove_abandoned(state_->destination.parent_path(), name);
  constexpr int attempts = 16;
  constexpr mode_t any_mode = 0666;  // the system applies the process's umask
  int failure = 0;
  for (int attempt = 0; attempt < attempts && !state_->file.is_open(); ++attempt) {
    state_->temporary =
        state_->destination.parent_path() / (name + "." + random_suffix() + std::string(temporary_ending));
    state_->unfinished = UnfinishedFile(state_->temporary);
    state_->file = open_file(state_->temporary, O_RDWR | O_CREAT | O_EXCL, any_mode);
    failure = errno;
    if (!state_->file.is_open() && failure != EEXIST) {
      break;
    }
    // Another process that removes abandoned files may have come before the lock; file systems without locks are
    // accepted.
    if (state_->file.is_open() &&
        ((!lock(state_->file) && (errno == EAGAIN || errno == EACCES)) || !has_name(state_->file))) {
      state_->file = FileDescriptor();
      failure = EAGAIN;
    }
  }
  if (!state_->file.is_open()) {
    throw IOError(fmt::format("cannot write \"{}\": {}", destination.string(), reason(failure)));
  }
  struct stat status {};
  const bool replaces = ::stat(state_->destination.c_str(), &status) == 0;
  if (replaces || ::fstat(state_->file.get(), &status) == 0) {
    state_->mode = status.st_mode & 07777;
  }
}

AtomicFile::~AtomicFile() {
  if (!state_->committed) {
    state_->file.close();
    std::error_code ignored;
    fs::remove(state_->temporary, ignored);
  }
}

void AtomicFile::write(std::span<const std::byte> bytes) {
  if (!state_->file.is_open()) {
    throw RuntimeError(fmt::format("\"{}\" was already committed", state_->destination.string()));
  }
  const NoFileSizeSignal errors_only;
  while (!bytes.empty()) {
    constexpr std::size_t max_at_once = std::size_t{1} << 30;
    const ssize_t written = ::write(state_->file.get(), bytes.data(), std::min(bytes.size(), max_at_once));
    if (written < 0 && errno == EINTR) {
      continue;
    }
    if (written < 0) {
      throw IOError(fmt::format("cannot write \"{}\": {}", state_->destination.string(), reason(errno)));
    }
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

void AtomicFile::write(std::string_view text) { write(std::as_bytes(std::span(text.data(), text.size()))); }

void AtomicFile::commit() {
  if (state_->committed) {
    throw RuntimeError(fmt::format("\"{}\" was already committed", state_->destination.string()));
  }
  const auto fail = [&](int error) {
    throw IOError(fmt::format("cannot write \"{}\": {}", state_->destination.string(), reason(error)));
  };
  // Reopened, because another writer may have replaced the temporary file. The first descriptor stays open, for its
  // lock.
  const FileDescriptor file = open_file(state_->temporary, O_RDONLY);
  if (!file.is_open() || ::fchmod(file.get(), state_->mode) != 0 || ::fsync(file.get()) != 0) {
    fail(errno);
  }
  if (::rename(state_->temporary.c_str(), state_->destination.c_str()) != 0) {
    fail(errno);
  }
  state_->committed = true;
  state_->unfinished = UnfinishedFile();
  if (!state_->file.close()) {
    fail(errno);
  }
  const fs::path folder = state_->destination.parent_path();
  const FileDescriptor opened_folder = open_file(folder.empty() ? "." : folder, O_RDONLY | O_DIRECTORY);
  // Not every file system supports this for a folder; the file itself is safe either way.
  if (opened_folder.is_open() && ::fsync(opened_folder.get()) != 0 && errno == EIO) {
    fail(errno);
  }
}

const fs::path& AtomicFile::temporary_path() const { return state_->temporary; }
const fs::path& AtomicFile::destination() const { return state_->destination; }

void write_file(const fs::path& path, std::span<const std::byte> bytes) {
  AtomicFile file(path);
  file.write(bytes);
  file.commit();
}

void write_file(const fs::path& path, std::string_view text) {
  write_file(path, std::as_bytes(std::span(text.data(), text.size())));
}

std::vector<std::byte> read_file(const fs::path& path, std::uint64_t limit) {
  // O_NONBLOCK: opening a pipe without a writer would block for ever.
  const FileDescriptor file = open_file(path, O_RDONLY | O_NONBLOCK);
  if (!file.is_open()) {
    const int failure = errno;
    if (failure == ENOENT || failure == ENOTDIR) {
      throw NotFoundError(fmt::format("no such file: \"{}\"", path.string()));
    }
    throw IOError(fmt::format("cannot read \"{}\": {}", path.string(), reason(failure)));
  }
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) {
    throw IOError(fmt::format("cannot read \"{}\": {}", path.string(), reason(errno)));
  }
  if (!S_ISREG(status.st_mode)) {
    throw IOError(fmt::format("cannot read \"{}\": it is not a regular file", path.string()));
  }
  const auto size = static_cast<std::uint64_t>(status.st_size);
  if (size > limit) {
    throw ResourceExhaustedError(
        fmt::format("\"{}\" has {} bytes, more than the limit of {} bytes", path.string(), size, limit));
  }
  auto content =
      naming_memory_errors(path.string(), [&] { return std::vector<std::byte>(static_cast<std::size_t>(size)); });
  std::size_t filled = 0;
  while (filled < content.size()) {
    const ssize_t count = ::read(file.get(), content.data() + filled, content.size() - filled);
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count < 0) {
      throw IOError(fmt::format("cannot read \"{}\": {}", path.string(), reason(errno)));
    }
    if (count == 0) {
      throw IOError(fmt::format("\"{}\" became shorter while it was read: expected {} bytes, found {}", path.string(),
                                size, filled));
    }
    filled += static_cast<std::size_t>(count);
  }
  return content;
}

}  // namespace rhyton::io
