#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <rhyton/framework/io/hdf5/bytes.h>

/// Checks of the structure of HDF5 files. Only for the files that implement hdf5.h.
namespace rhyton::io::hdf5 {

enum class ObjectKind : std::uint8_t { group, dataset };

/// Verifies the parts of a file before the HDF5 library reads them. The library trusts a file: wrong sizes, counts and
/// offsets make it access memory out of bounds, and blocks that refer to each other make it loop for ever. After the
/// check all sizes, counts and offsets are valid, and in proportion to the size of the file.
///
/// Supported are the default format of h5py, in every version of the library, and the simpler half of the newer format
/// (`libver="latest"`). The rest is refused: attributes stored densely, chunks indexed in a newer way than by a B-tree,
/// shared messages and types, filters other than gzip, shuffle and Fletcher-32. Overlapping blocks are refused too, and
/// a second path to a group, by which a group could contain itself.
class Structure {
 public:
  /// Checks the beginning of the file and its root group. `name` is for error messages. Throws IOError.
  Structure(FileBytes bytes, std::string name);
  ~Structure();
  Structure(const Structure&) = delete;
  Structure& operator=(const Structure&) = delete;

  /// The kind of the object at that address. Throws IOError when its header is damaged or of a refused kind.
  ObjectKind kind(std::uint64_t address, const std::string& path);

  /// Checks all parts of that object: its attributes; a group's table of members; a dataset's type, shape and, if they
  /// are compressed, elements. Throws IOError; TypeError for types of elements that are not supported.
  ObjectKind check(std::uint64_t address, const std::string& path);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace rhyton::io::hdf5
