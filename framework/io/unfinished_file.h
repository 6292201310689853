#pragma once

#include <atomic>
#include <filesystem>

namespace rhyton::io {

/// Registers a file that has to be removed when the process is ended before the file is complete:
/// `remove_unfinished_files` removes the files of all live objects.
class UnfinishedFile {
 public:
  UnfinishedFile() = default;
  /// The file need not exist yet. If more than a few dozen exist at a time, further ones are not registered.
  explicit UnfinishedFile(const std::filesystem::path& path);
  UnfinishedFile(UnfinishedFile&& other) noexcept;
  UnfinishedFile& operator=(UnfinishedFile&& other) noexcept;
  UnfinishedFile(const UnfinishedFile&) = delete;
  UnfinishedFile& operator=(const UnfinishedFile&) = delete;
  ~UnfinishedFile();

 private:
  /// The entry with the name; null if it is not registered.
  std::atomic<const char*>* place_ = nullptr;
};

/// Removes the files that are being written, for a process that ends at once. It may be called in a signal handler.
void remove_unfinished_files() noexcept;

}  // namespace rhyton::io
