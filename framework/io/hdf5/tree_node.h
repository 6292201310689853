#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <rhyton/framework/io/hdf5/bytes.h>

/// Nodes of the trees of the older format. Only for the files that implement hdf5.h.
namespace rhyton::io::hdf5 {

/// The bytes in front of the keys and children of a node.
inline constexpr std::uint64_t tree_header_bytes = 24;

/// What the header of a node says. A level of 0 is that of the leaves.
struct TreeNode {
  int level = 0;
  std::uint64_t used = 0;
};

/// Reads the header of a node of `what` ("the tree of its chunks"), whose kind is 0 for groups and 1 for chunks, and
/// which has at most that many children. A negative `wanted_level` is that of the root, which is arbitrary. Throws as
/// `Site::damaged` for anything else.
inline TreeNode read_tree_node(Fields& fields, std::uint64_t kind, std::uint64_t maximum, int wanted_level,
                               const Site& site, std::string_view what) {
  constexpr int deepest = 32;
  fields.expect("TREE");
  const std::uint64_t found_kind = fields.number(1);
  const auto level = static_cast<int>(fields.number(1));
  const std::uint64_t used = fields.number(2);
  fields.skip(16);  // the neighbouring nodes
  if (found_kind != kind || used > maximum || (wanted_level < 0 ? level > deepest : level != wanted_level) ||
      (used == 0 && (level > 0 || wanted_level >= 0))) {
    site.damaged("a node in " + std::string(what) + " cannot be");
  }
  return {level, used};
}

}  // namespace rhyton::io::hdf5
