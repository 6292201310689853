#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <rhyton/framework/io/atomic_file.h>
#include <rhyton/framework/io/file_size_signal.h>
#include <rhyton/framework/io/hdf5/hdf5.h>
#include <rhyton/framework/io/hdf5/structure.h>

/// Declarations shared by the files that implement hdf5.h. Only for these.
namespace rhyton::io::hdf5 {

/// The library's `hid_t`.
using Id = std::int64_t;

/// During its lifetime, only this thread uses the HDF5 library, which prints no errors and loads no plugins. When
/// writing, exceeding the limit on file sizes is an error and no signal.
class LibrarySession {
 public:
  LibrarySession();
  ~LibrarySession();
  LibrarySession(const LibrarySession&) = delete;
  LibrarySession& operator=(const LibrarySession&) = delete;

 private:
  std::unique_lock<std::recursive_mutex> lock_;
  int (*print_errors_)(Id, void*) = nullptr;
  void* print_data_ = nullptr;
  unsigned plugins_ = 0;
  std::optional<NoFileSizeSignal> errors_only_;
};

/// Owns an identifier of the HDF5 library. Created, used and released within a LibrarySession.
class Handle {
 public:
  using Close = int (*)(Id);

  Handle() = default;
  Handle(Id id, Close close) : id_(id), close_(close) {}
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() { close(); }

  Id id() const { return id_; }
  bool is_valid() const { return id_ >= 0; }
  /// False when the library reports an error.
  bool close() { return id_ < 0 || close_(std::exchange(id_, -1)) >= 0; }
  /// Drops an identifier that the library has closed itself.
  void forget() { id_ = -1; }

 private:
  Id id_ = -1;
  Close close_ = nullptr;
};

/// An open file, shared by all handles of its objects.
struct OpenFile {
  OpenFile() = default;
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile();

  /// To be called within a LibrarySession, before the file is created.
  void begin_writing();
  bool is_written() const { return is_written_; }

  /// For error messages.
  std::string name;
  /// The maximum bytes of an array, and of an attribute.
  std::uint64_t array_limit = UINT64_MAX;
  std::uint64_t attribute_limit = UINT64_MAX;
  /// The source of an image; outlives `file`.
  std::vector<std::byte> image;
  /// For a file that is read: the parts that the library may access.
  std::unique_ptr<Structure> structure;
  /// The source of a part of another file; outlives `file`.
  std::optional<FilePart> part;
  /// Set for a file that `commit` completes.
  std::unique_ptr<AtomicFile> destination;
  Handle file;

 private:
  bool is_written_ = false;
};

/// Throws IOError: `"file.h5": cannot <action> "/path": <complaint>`, or, where the system failed to read or write the
/// file, `cannot write "file.h5": No space left on device`.
[[noreturn]] void fail(const OpenFile& file, std::string_view action, std::string_view path);

/// `id` with its closing function. Throws as `fail` when the library returned no valid identifier.
Handle checked(Id id, Handle::Close close, const OpenFile& file, std::string_view action, std::string_view path);

}  // namespace rhyton::io::hdf5

namespace rhyton::io {

/// An open object.
struct Hdf5Object::State {
  State(std::shared_ptr<hdf5::OpenFile> open_file, hdf5::Handle opened, std::string object_path)
      : file(std::move(open_file)), object(std::move(opened)), path(std::move(object_path)) {}
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State();

  /// The object's identifier. Throws RuntimeError when the file was closed.
  hdf5::Id id() const;

  std::shared_ptr<hdf5::OpenFile> file;
  hdf5::Handle object;
  std::string path;
};

}  // namespace rhyton::io
