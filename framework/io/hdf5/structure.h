#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <rhyton/framework/io/hdf5/bytes.h>

/// Whether a file is built as the HDF5 format says. For the files that make up hdf5.h only.
namespace rhyton::io::hdf5 {

enum class ObjectKind : std::uint8_t { group, dataset };

/// The HDF5 library believes what a file says: sizes, counts and offsets that are wrong lead it out of its own memory,
/// and blocks that point at each other keep it busy for ever. So whatever it is going to read is read here first, by
/// code that believes nothing; what passes is sound, and small enough for the file that it is in.
///
/// What is known here is what h5py writes unless told otherwise, in every version of the library, and the simpler half
/// of its newer form (`libver="latest"`). The rest is refused: attributes stored densely, chunks indexed in a newer way
/// than by a B-tree, shared messages and types, filters other than gzip, shuffle and Fletcher-32. So are two blocks in
/// one place, and a second path to a group, by which groups could contain themselves.
class Structure {
 public:
  /// Checks the beginning of the file and its root group. `name` is for messages. Throws IOError.
  Structure(FileBytes bytes, std::string name);
  ~Structure();
  Structure(const Structure&) = delete;
  Structure& operator=(const Structure&) = delete;

  /// What the object at that address is. Throws IOError when its header is damaged or of a refused kind.
  ObjectKind kind(std::uint64_t address, const std::string& path);

  /// Checks everything that belongs to that object: its attributes; a group's table of members; a dataset's type, shape
  /// and, where they are packed, elements. Throws IOError; TypeError for types of elements that are not known here.
  ObjectKind check(std::uint64_t address, const std::string& path);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace rhyton::io::hdf5
