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

/// A file that appears whole or not at all.
///
/// What is written goes to a temporary file in the destination's folder; `commit` puts it in the destination's place in
/// one step. Without `commit` the destructor removes it, and a file that was there before stays as it was. What a
/// killed process has left behind is removed by whoever next writes to the same destination.
class AtomicFile {
 public:
  /// Throws IOError when no file can be made in the destination's folder, or when the destination is a folder.
  /// A destination that is a symbolic link keeps being one: the file it points to is replaced.
  explicit AtomicFile(const std::filesystem::path& destination);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  /// Appends. Throws IOError (no space left, …), RuntimeError after `commit`.
  void write(std::span<const std::byte> bytes);
  void write(std::string_view text);

  /// Makes the content permanent (fsync), gives it the destination's name, and makes that permanent too. A file that is
  /// replaced hands on its permissions. Throws IOError; RuntimeError when called twice.
  void commit();

  /// The temporary file, for writers that open files themselves; they must be done with it when `commit` is called.
  const std::filesystem::path& temporary_path() const;
  const std::filesystem::path& destination() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Writes a whole file through an AtomicFile. Throws IOError.
void write_file(const std::filesystem::path& path, std::span<const std::byte> bytes);
void write_file(const std::filesystem::path& path, std::string_view text);

/// The largest file that `read_file` reads unless told otherwise: 64 GiB.
inline constexpr std::uint64_t default_file_limit = std::uint64_t{64} << 30;

/// The content of a file. Throws NotFoundError when there is none, IOError when it is no regular file or cannot be
/// read, ResourceExhaustedError when it has more than `limit` bytes.
std::vector<std::byte> read_file(const std::filesystem::path& path, std::uint64_t limit = default_file_limit);

}  // namespace rhyton::io
