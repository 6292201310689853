#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include <rhyton/framework/error.h>

namespace rhyton::io {

/// A file that is written completely or not at all.
///
/// The content is written to a temporary file in the destination's folder; `commit` renames it to the destination.
/// Without `commit` the destructor removes it, and an existing file stays as it was. A temporary file left by a killed
/// process is removed by the next AtomicFile with the same destination.
class AtomicFile {
 public:
  /// Throws IOError when no file can be created in the destination's folder, or when the destination is a folder. If
  /// the destination is a symbolic link, the file it points to is replaced.
  explicit AtomicFile(const std::filesystem::path& destination);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  /// Appends. Throws IOError (no space left, …), RuntimeError after `commit`.
  void write(std::span<const std::byte> bytes);
  void write(std::string_view text);

  /// Makes the content permanent (fsync), renames the file to the destination, and makes that permanent too. Keeps the
  /// permissions of a replaced file. Throws IOError; RuntimeError when called twice.
  void commit();

  /// The temporary file, for writers that open files themselves; they must close it before `commit` is called.
  const std::filesystem::path& temporary_path() const;
  const std::filesystem::path& destination() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Writes a whole file through an AtomicFile. Throws IOError.
void write_file(const std::filesystem::path& path, std::span<const std::byte> bytes);
void write_file(const std::filesystem::path& path, std::string_view text);

/// The default limit of `read_file`: 64 GiB.
inline constexpr std::uint64_t default_file_limit = std::uint64_t{64} << 30;

/// The content of a file. Throws NotFoundError when there is none, IOError when it is no regular file or cannot be
/// read, ResourceExhaustedError when it has more than `limit` bytes.
std::vector<std::byte> read_file(const std::filesystem::path& path, std::uint64_t limit = default_file_limit);

}  // namespace rhyton::io
