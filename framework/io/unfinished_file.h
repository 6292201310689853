#pragma once

#include <atomic>
#include <filesystem>

namespace rhyton::io {

/// Names a file that is to disappear when the process is ended before the file is complete. While one lives,
/// `remove_unfinished_files` removes the file of that name.
class UnfinishedFile {
 public:
  UnfinishedFile() = default;
  /// The file need not be there yet. Of more than a few dozen at a time the further ones are not kept.
  explicit UnfinishedFile(const std::filesystem::path& path);
  UnfinishedFile(UnfinishedFile&& other) noexcept;
  UnfinishedFile& operator=(UnfinishedFile&& other) noexcept;
  UnfinishedFile(const UnfinishedFile&) = delete;
  UnfinishedFile& operator=(const UnfinishedFile&) = delete;
  ~UnfinishedFile();

 private:
  /// Where the name is kept; null where it is not.
  std::atomic<const char*>* place_ = nullptr;
};

/// Removes the files that are being written, for a process that ends at once. It may be called in a signal handler.
void remove_unfinished_files() noexcept;

}  // namespace rhyton::io
