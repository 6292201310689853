#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include <rhyton/framework/io/hdf5/inspection.h>

namespace rhyton::io::hdf5 {

/// The heap in which newer groups store the links to their members if they have more than eight. It is a space of 2^32
/// bytes, of which blocks of doubling size are in the file; a link is identified by its position in that space. Only
/// the one form that every version of the HDF5 library uses for heaps of links is supported.
class LinkHeap {
 public:
  /// Checks the heap at that address and reads all of its blocks. Throws as `Site::damaged` and `Site::refused`.
  LinkHeap(std::uint64_t address, Inspection& file, const Site& site);

  /// The length of the identifiers of objects.
  static constexpr std::uint64_t id_bytes = 7;

  /// The object with that identifier: it is within one block. Throws as `Site::damaged` where there is none.
  std::span<const std::byte> object(std::span<const std::byte> id) const;

 private:
  /// A table of blocks: of the whole space, or of a part that begins at `offset`.
  struct Table {
    std::uint64_t address = 0;
    std::uint64_t offset = 0;
    std::uint64_t rows = 0;
  };

  void read_header();
  void read_tables(Table root);
  void read_block(std::uint64_t address, std::uint64_t offset, std::uint64_t size);
  /// Checks the beginning that the two kinds of blocks share.
  void expect_beginning(Fields& fields, std::string_view letters, std::uint64_t offset) const;

  std::uint64_t address_;
  Inspection& file_;
  Site site_;
  /// By their beginning in the space.
  std::map<std::uint64_t, std::vector<std::byte>> blocks_;
};

}  // namespace rhyton::io::hdf5
