#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <rhyton/framework/error.h>
#include <rhyton/framework/io/file_part.h>
#include <rhyton/framework/io/json/json.h>
#include <rhyton/framework/tensor/tensor.h>

namespace rhyton::io {

class Hdf5File;

/// The base of groups and datasets: attributes. A cheap handle; it keeps the file open.
///
/// Every function throws IOError, naming the file, the object and the HDF5 library's error, when the file is damaged or
/// something does not exist in the requested form; NotFoundError when an object or attribute is absent; RuntimeError
/// when the file was closed. HDF5 itself prints nothing. The classes of this header may be used by several threads;
/// accesses are serialised.
class Hdf5Object {
 public:
  /// The path from the file's root: "/layers/dense/vars".
  const std::string& path() const;

  bool has_attribute(const std::string& name) const;
  /// In alphabetical order.
  std::vector<std::string> attribute_names() const;
  /// An attribute of any type: a text, an integer or a number, or an array of them; null for other types.
  Json read_attribute(const std::string& name) const;

  /// A text of variable or fixed length, without its padding.
  std::string read_string_attribute(const std::string& name) const;
  /// Writes a variable-length UTF-8 text, as h5py does for a Python `str`. Replaces an attribute of that name.
  void write_string_attribute(const std::string& name, std::string_view value);
  /// Writes a fixed-length text, as h5py does for Python `bytes`.
  void write_bytes_attribute(const std::string& name, std::string_view value);

  /// A list of texts; also an empty one written by h5py, and one that Keras divided over `name0`, `name1`, ….
  std::vector<std::string> read_string_list_attribute(const std::string& name) const;
  /// Writes fixed-length texts as Keras does: an empty list as h5py writes it, a list of more than 64512 bytes divided
  /// over `name0`, `name1`, …. Throws ValueError when one text alone is longer than that.
  void write_string_list_attribute(const std::string& name, const std::vector<std::string>& values);

  std::int64_t read_int_attribute(const std::string& name) const;
  void write_int_attribute(const std::string& name, std::int64_t value);

 protected:
  struct State;
  explicit Hdf5Object(std::shared_ptr<State> state) : state_(std::move(state)) {}
  const State& state() const { return *state_; }

 private:
  friend class Hdf5Group;
  friend class Hdf5File;
  std::shared_ptr<State> state_;
};

/// An array in an HDF5 file.
class Hdf5Dataset : public Hdf5Object {
 public:
  /// Shape and dtype, without reading the elements. Integer types without a dtype are widened, as with `read_npy`.
  TensorSpec spec() const;
  /// The elements. Throws ResourceExhaustedError, before any memory is allocated, when they take more than
  /// `Hdf5File::expansion_floor` and more than `expansion_ratio` times the file's size; TypeError for elements that are
  /// not numbers.
  Tensor read() const;
  /// Reads the elements into host memory for a tensor of `spec`. Throws as `read`, and ValueError where the dataset's
  /// own spec is another.
  void read_into(const TensorSpec& spec, void* target) const;

 private:
  friend class Hdf5Group;
  using Hdf5Object::Hdf5Object;
};

/// A folder within an HDF5 file. Path arguments are relative to it and may have several parts: "dense/vars/0". Soft and
/// external links are refused, as are datasets whose elements are in other files, and a second path to a group, so that
/// recursion over groups terminates.
class Hdf5Group : public Hdf5Object {
 public:
  bool contains(const std::string& path) const { return has_group(path) || has_dataset(path); }
  bool has_group(const std::string& path) const;
  bool has_dataset(const std::string& path) const;
  /// The names of the groups, and of the datasets, directly in this one, in alphabetical order.
  std::vector<std::string> group_names() const;
  std::vector<std::string> dataset_names() const;

  /// Throws NotFoundError when there is no group of that path.
  Hdf5Group open_group(const std::string& path) const;
  /// Creates a group and its missing parents; an existing one is opened.
  Hdf5Group create_group(const std::string& path);

  /// Throws NotFoundError when there is no dataset of that path.
  Hdf5Dataset open_dataset(const std::string& path) const;
  /// Shorthand for `open_dataset(path).read()`.
  Tensor read_dataset(const std::string& path) const { return open_dataset(path).read(); }
  /// Writes a contiguous little-endian dataset as h5py does (bool as its enumeration), and its missing parent groups;
  /// bfloat16 as Keras does, 2 opaque bytes each and an attribute "dtype". Throws ValueError when the name is in use.
  Hdf5Dataset write_dataset(const std::string& path, const Tensor& tensor);

 private:
  friend class Hdf5File;
  using Hdf5Object::Hdf5Object;
};

/// An HDF5 file, on disk or in memory. Written in the oldest format (`libver="earliest"`), without time stamps, so that
/// equal content gives equal bytes.
///
/// Untrusted files are safe to open: the HDF5 library accesses a part of a file only after our own code has verified
/// it. Files of h5py can be read, whether or not compressed with gzip; densely stored attributes and the newer chunk
/// indices, which it writes with `libver="latest"`, are refused.
class Hdf5File {
 public:
  /// The size in bytes that an array may have whatever the size of its file,
  static constexpr std::uint64_t expansion_floor = std::uint64_t{256} << 20;
  /// and the bytes it may have for each byte of its file: compressed arrays, and unwritten ones, which are zero.
  static constexpr std::uint64_t expansion_ratio = 1000;

  /// Throws NotFoundError when there is no such file, IOError when it is no valid HDF5 file.
  static Hdf5File open_read(const std::filesystem::path& path);
  /// Reads from memory, which the file keeps as long as it is open. `name` is for error messages.
  static Hdf5File open_image(std::vector<std::byte> image, const std::string& name);
  /// Reads a file that is part of another, such as a stored member of an archive, in place.
  static Hdf5File open_part(const FilePart& part, const std::string& name);
  /// A new file that is created by `commit`, or not at all.
  static Hdf5File create(const std::filesystem::path& path);
  /// A new file that begins `offset` bytes, a power of two of at least 512, after the start of the file at `path`,
  /// which it replaces. For writers of archives; `close` completes it. `name` is for error messages.
  static Hdf5File create_at_offset(const std::filesystem::path& path, std::uint64_t offset, const std::string& name);
  /// A new file in memory; `image` returns its bytes.
  static Hdf5File create_image();

  Hdf5Group root() const;

  /// The bytes of the file as it is now.
  std::vector<std::byte> image() const;

  /// Completes a file of `create` and renames it to its destination; its groups can then no longer be used. Throws
  /// IOError; RuntimeError for a file that was not made by `create`, or when called twice.
  void commit();
  /// The same, with a checksum of the whole file after its end, which other readers of HDF5 ignore: see checked_file.h.
  void commit_with_checksum();
  /// Flushes and closes the file; its groups can then no longer be used. Throws IOError.
  void close();

 private:
  explicit Hdf5File(std::shared_ptr<Hdf5Object::State> root) : root_(std::move(root)) {}
  void finish(bool with_checksum);
  std::shared_ptr<Hdf5Object::State> root_;
};

}  // namespace rhyton::io
