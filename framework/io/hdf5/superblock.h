#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <rhyton/framework/io/hdf5/inspection.h>

/// How an HDF5 file begins. For the files that make up hdf5_structure.h only.
namespace rhyton::io::hdf5 {

struct Superblock {
  /// Where the header of the root group is.
  std::uint64_t root = 0;
  /// What is said of its table of members, where it is.
  std::optional<SymbolTable> cached_root = std::nullopt;
};

/// Reads and takes the beginning of the file, and tells the file its end and the sizes of its trees' nodes. `name` is
/// for messages. Throws IOError where it is damaged or of a refused kind.
Superblock read_superblock(Inspection& file, const std::string& name, const Site& site);

}  // namespace rhyton::io::hdf5
