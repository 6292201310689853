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
#include <rhyton/framework/io/json.h>
#include <rhyton/framework/tensor/tensor.h>

namespace rhyton::io {

class Hdf5File;

/// What groups and datasets have in common: attributes. A cheap handle; it keeps the file open.
///
/// Every function throws IOError, naming the file, the object and what the HDF5 library complained about, when the file
/// is damaged or something does not exist in the form asked for; NotFoundError when an object or attribute is absent;
/// RuntimeError when the file was closed. HDF5 itself prints nothing. The classes of this header may be used by several
/// threads, which then wait for each other.
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

  /// A list of texts; also one that h5py wrote empty, and one that Keras divided over `name0`, `name1`, ….
  std::vector<std::string> read_string_list_attribute(const std::string& name) const;
  /// Writes fixed-length texts as Keras does: an empty list as h5py writes one, a list of more than 64512 bytes divided
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
  /// Shape and dtype, without reading the elements. Integers that no dtype holds become wider, as with `read_npy`.
  TensorSpec spec() const;
  /// The elements. Throws ResourceExhaustedError, before any memory is taken, when they are more than
  /// `Hdf5File::expansion_floor` and more than `expansion_ratio` times the file's size; TypeError for elements that are
  /// no numbers.
  Tensor read() const;
  /// Writes the elements to memory of the host that has room for a tensor of `spec`. Throws as `read`, and ValueError
  /// where the dataset's own spec is another.
  void read_into(const TensorSpec& spec, void* target) const;

 private:
  friend class Hdf5Group;
  using Hdf5Object::Hdf5Object;
};

/// A folder within an HDF5 file. Paths of arguments are relative to it and may have several parts: "dense/vars/0".
/// Soft and external links are refused, as are datasets whose elements lie in other files, and a second path to a
/// group: whoever goes down from group to group comes to an end.
class Hdf5Group : public Hdf5Object {
 public:
  bool contains(const std::string& path) const { return has_group(path) || has_dataset(path); }
  bool has_group(const std::string& path) const;
  bool has_dataset(const std::string& path) const;
  /// The names of the groups, and of the datasets, right below this one, in alphabetical order.
  std::vector<std::string> group_names() const;
  std::vector<std::string> dataset_names() const;

  Hdf5Group open_group(const std::string& path) const;
  /// Makes a group, and those above it that are missing; one that exists is opened.
  Hdf5Group create_group(const std::string& path);

  Hdf5Dataset open_dataset(const std::string& path) const;
  /// Shorthand for `open_dataset(path).read()`.
  Tensor read_dataset(const std::string& path) const { return open_dataset(path).read(); }
  /// Writes a contiguous little-endian dataset as h5py does (bool as its enumeration), and the groups above it that are
  /// missing; bfloat16 as Keras does, 2 opaque bytes each and an attribute "dtype". Throws ValueError when the name is
  /// taken.
  Hdf5Dataset write_dataset(const std::string& path, const Tensor& tensor);

 private:
  friend class Hdf5File;
  using Hdf5Object::Hdf5Object;
};

/// An HDF5 file, on disk or in memory. Written in the oldest format (`libver="earliest"`), without time stamps, so that
/// equal content gives equal bytes.
///
/// A file from a stranger is harmless: the HDF5 library sees a part of it only when code of our own has found that part
/// sound. What h5py writes is read, packed with gzip or not; densely stored attributes and the newer indices of
/// chunks, which it writes when told `libver="latest"`, are refused.
class Hdf5File {
 public:
  /// An array may have that many bytes, whatever the size of its file,
  static constexpr std::uint64_t expansion_floor = std::uint64_t{256} << 20;
  /// and that many for each byte of its file: packed ones, and such as were never written and are zero.
  static constexpr std::uint64_t expansion_ratio = 1000;

  /// Throws NotFoundError when there is no such file, IOError when it is no sound HDF5 file.
  static Hdf5File open_read(const std::filesystem::path& path);
  /// Reads from memory, which the file keeps as long as it is open. `name` is for error messages.
  static Hdf5File open_image(std::vector<std::byte> image, const std::string& name);
  /// Reads a file that is part of another, as a stored member of an archive is, where it lies.
  static Hdf5File open_part(const FilePart& part, const std::string& name);
  /// A new file that appears on `commit`, or not at all.
  static Hdf5File create(const std::filesystem::path& path);
  /// A new file that begins `offset` bytes, a power of two of at least 512, after the start of the file at `path`,
  /// which it replaces. For writers of archives; `close` ends it. `name` is for error messages.
  static Hdf5File create_behind(const std::filesystem::path& path, std::uint64_t offset, const std::string& name);
  /// A new file in memory, to be taken with `image`.
  static Hdf5File create_image();

  Hdf5Group root() const;

  /// The bytes of the file as it is now.
  std::vector<std::byte> image() const;

  /// Completes a file made by `create` and puts it in its place; its groups can then no longer be used. Throws IOError;
  /// RuntimeError for a file that was not made by `create`, or when called twice.
  void commit();
  /// The same, with a checksum of the whole file behind its end, where other readers of HDF5 do not look: see
  /// checked_file.h.
  void commit_with_checksum();
  /// Writes out what is not yet written and closes the file; its groups can then no longer be used. Throws IOError.
  void close();

 private:
  explicit Hdf5File(std::shared_ptr<Hdf5Object::State> root) : root_(std::move(root)) {}
  void finish(bool with_checksum);
  std::shared_ptr<Hdf5Object::State> root_;
};

}  // namespace rhyton::io
