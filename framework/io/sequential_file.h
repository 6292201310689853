#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <rhyton/framework/error.h>

namespace rhyton::io {

/// How a file is compressed.
enum class Compression : std::uint8_t { none, zlib, gzip };

/// The compression of TensorFlow's name: "" (none), "ZLIB" or "GZIP"; empty for another name.
std::optional<Compression> find_compression(std::string_view name);

/// Reads a file, which may be compressed, from its beginning to its end, in parts: for files of any size. A gzip file may have
/// several members, one behind the other; what follows the data of zlib is not read.
class SequentialFile {
 public:
  /// Throws NotFoundError if there is no such file, IOError if it is a folder or cannot be opened.
  explicit SequentialFile(const std::filesystem::path& path, Compression compression = Compression::none);
  ~SequentialFile();
  SequentialFile(SequentialFile&&) noexcept;
  SequentialFile& operator=(SequentialFile&&) noexcept;

  /// Reads that many bytes, fewer only at the end, and returns how many. Throws IOError if the file cannot be read, or if
  /// its compressed data are damaged or cut short.
  std::size_t read(char* bytes, std::size_t count);
  /// The bytes up to the next "\n" and including it, or to the end; none at the end. Throws as `read`.
  std::optional<std::string> read_line();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace rhyton::io
