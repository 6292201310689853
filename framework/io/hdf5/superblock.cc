#include <rhyton/framework/io/hdf5/superblock.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace rhyton::io::hdf5 {
namespace {

/// Of version 0 and 1.
Superblock read_old_superblock(Fields& fields, std::uint64_t version, Inspection& file, const Site& site) {
  const bool versions_are_known = fields.number(1) == 0 && fields.number(1) == 0;
  fields.skip(1);
  const bool messages_are_known = fields.number(1) == 0;
  const std::uint64_t address_bytes = fields.number(1);
  const std::uint64_t length_bytes = fields.number(1);
  fields.skip(1);
  if (!versions_are_known || !messages_are_known || address_bytes != 8 || length_bytes != 8) {
    site.refused("is in a file with a superblock of an unknown kind");
  }
  file.group_leaf_k = fields.number(2);
  file.group_internal_k = fields.number(2);
  constexpr std::uint64_t known_flags = 7;
  if (fields.number(4) > known_flags) {
    site.damaged("the beginning of the file has unknown flags");
  }
  if (version == 1) {
    file.chunk_k = fields.number(2);
    fields.skip(2);
  }
  const std::uint64_t base = fields.address();
  const std::uint64_t free_space = fields.address();
  const std::uint64_t end = fields.address();
  const std::uint64_t driver = fields.address();
  if (base != 0 || free_space != undefined_address || driver != undefined_address) {
    site.refused("is in a file with a block of its user's, or of a driver's");
  }
  if (file.group_leaf_k == 0 || file.group_internal_k == 0 || file.chunk_k == 0) {
    site.damaged("the nodes of its trees have no size");
  }
  if (end > file.bytes().size()) {
    site.damaged(fmt::format("the file is cut short: it has {} of {} bytes", file.bytes().size(), end));
  }
  file.set_end(end);
  fields.skip(8);
  Superblock superblock{.root = fields.address()};
  const std::uint64_t cached = fields.number(4);
  fields.skip(4);
  if (cached > 1) {
    site.damaged("it is a link");
  }
  const std::uint64_t tree = fields.address();
  const std::uint64_t heap = fields.address();
  if (cached == 1) superblock.cached_root = SymbolTable{tree, heap};
  return superblock;
}

Superblock read_new_superblock(Fields& fields, Inspection& file, const Site& site) {
  const std::uint64_t address_bytes = fields.number(1);
  const std::uint64_t length_bytes = fields.number(1);
  if (address_bytes != 8 || length_bytes != 8) {
    site.refused("is in a file with a superblock of an unknown kind");
  }
  if (fields.number(1) != 0) {
    site.refused("is in a file that is being written, or was not completed");
  }
  const std::uint64_t base = fields.address();
  const std::uint64_t extension = fields.address();
  const std::uint64_t end = fields.address();
  if (base != 0 || extension != undefined_address) {
    site.refused("is in a file with a block of its user's, or with an extended beginning");
  }
  if (end > file.bytes().size()) {
    site.damaged(fmt::format("the file is cut short: it has {} of {} bytes", file.bytes().size(), end));
  }
  file.set_end(end);
  const Superblock superblock{.root = fields.address()};
  constexpr std::uint64_t summed_bytes = 44;
  if (fields.number(4) != metadata_checksum(file.bytes().read(0, summed_bytes))) {
    site.damaged("the checksum of the beginning of the file is wrong");
  }
  return superblock;
}

}  // namespace

Superblock read_superblock(Inspection& file, const std::string& name, const Site& site) {
  constexpr std::string_view signature("\x89HDF\r\n\x1a\n", 8);
  constexpr std::uint64_t longest = 104;
  const std::vector<std::byte> start = file.bytes().read(0, std::min(longest, file.bytes().size()));
  if (start.size() < signature.size() || std::memcmp(start.data(), signature.data(), signature.size()) != 0) {
    throw IOError(fmt::format("\"{}\" is not an HDF5 file: it does not begin with HDF5's signature", name));
  }
  Fields fields(start, site);
  fields.skip(signature.size());
  const std::uint64_t version = fields.number(1);
  if (version > 3) {
    site.refused(fmt::format("is in a file of the unknown version {}", version));
  }
  const Superblock superblock =
      version < 2 ? read_old_superblock(fields, version, file, site) : read_new_superblock(fields, file, site);
  file.claim(0, start.size() - fields.left(), site, "the beginning of the file");
  return superblock;
}

}  // namespace rhyton::io::hdf5
