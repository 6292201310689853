#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <rhyton/framework/io/hdf5/inspection.h>

/// The superblock, the beginning of an HDF5 file. Only for the files that implement structure.h.
namespace rhyton::io::hdf5 {

struct Superblock {
  /// The address of the root group's header.
  std::uint64_t root = 0;
  /// The address of the root group's table of members, if the superblock has it.
  std::optional<SymbolTable> cached_root = std::nullopt;
};

/// Reads and claims the beginning of the file, and sets the end of `file` and the sizes of the nodes of its trees.
/// `name` is for error messages. Throws IOError where it is damaged or of a refused kind.
Superblock read_superblock(Inspection& file, const std::string& name, const Site& site);

}  // namespace rhyton::io::hdf5
