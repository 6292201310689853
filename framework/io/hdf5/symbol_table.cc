// How groups store their members in the older format: a tree of nodes with entries, whose names are in a heap.

#include <set>

#include <fmt/format.h>

#include <rhyton/framework/io/hdf5/inspection.h>
#include <rhyton/framework/io/hdf5/tree_node.h>

namespace rhyton::io::hdf5 {
namespace {

/// The names of a group's members.
class Names {
 public:
  Names(std::uint64_t address, Inspection& file, const Site& site) : site_(site) {
    constexpr std::uint64_t header_bytes = 32;
    constexpr std::string_view what = "the heap of its names";
    const std::vector<std::byte> header = file.take(address, header_bytes, site, what);
    Fields fields(header, site);
    fields.expect("HEAP");
    if (fields.number(1) != 0) {
      site.damaged("the heap of its names is of an unknown version");
    }
    fields.skip(3);
    const std::uint64_t size = fields.length();
    const std::uint64_t first_free = fields.length();
    const std::uint64_t data = fields.address();
    if (size < 8) {
      site.damaged("the heap of its names is empty");
    }
    data_ = file.take(data, size, site, what);
    check_free_blocks(first_free);
  }

  void check(std::uint64_t offset) const {
    if (offset >= data_.size()) {
      site_.damaged(fmt::format("a name at {} in a heap of {} bytes", offset, data_.size()));
    }
    Fields fields(from(offset), site_);
    fields.terminated_text(false);
  }

 private:
  std::span<const std::byte> from(std::uint64_t offset) const {
    return std::span<const std::byte>(data_).subspan(static_cast<std::size_t>(offset));
  }

  /// Free blocks form a linked list, which must not contain a cycle.
  void check_free_blocks(std::uint64_t offset) const {
    constexpr std::uint64_t none = 1;
    std::set<std::uint64_t> seen;
    while (offset != none) {
      if (offset >= data_.size() || !seen.insert(offset).second) {
        site_.damaged("the free blocks in the heap of its names cannot be");
      }
      Fields block(from(offset), site_);
      const std::uint64_t left = block.left();
      const std::uint64_t next = block.length();
      const std::uint64_t size = block.length();
      if (size < 16 || size > left) {
        site_.damaged("a free block in the heap of its names has a wrong size");
      }
      offset = next;
    }
  }

  Site site_;
  std::vector<std::byte> data_;
};

class Members {
 public:
  Members(Inspection& file, const Names& names, const Site& site) : file_(file), names_(names), site_(site) {}

  void check_root(std::uint64_t address) { check_tree(address, -1); }

 private:
  /// A negative level is that of the root, which is arbitrary.
  void check_tree(std::uint64_t address, int wanted_level) {
    constexpr std::string_view what = "the tree of its members";
    constexpr std::uint64_t field_bytes = 8;
    const std::uint64_t maximum = 2 * file_.group_internal_k;
    const std::vector<std::byte> node =
        file_.take(address, tree_header_bytes + field_bytes * (2 * maximum + 1), site_, what);
    Fields fields(node, site_);
    const auto [level, used] = read_tree_node(fields, 0, maximum, wanted_level, site_, what);
    for (std::uint64_t child = 0; child < used; ++child) {
      names_.check(fields.length());
      const std::uint64_t below = fields.address();
      if (level > 0) {
        check_tree(below, level - 1);
      } else {
        check_entries(below);
      }
    }
    names_.check(fields.length());
  }

  void check_entries(std::uint64_t address) {
    constexpr std::uint64_t header_bytes = 8;
    constexpr std::uint64_t entry_bytes = 40;
    const std::uint64_t maximum = 2 * file_.group_leaf_k;
    const std::vector<std::byte> node =
        file_.take(address, header_bytes + maximum * entry_bytes, site_, "the table of its members");
    Fields fields(node, site_);
    fields.expect("SNOD");
    const std::uint64_t version = fields.number(1);
    fields.skip(1);
    const std::uint64_t used = fields.number(2);
    if (version != 1 || used == 0 || used > maximum) {
      site_.damaged("a table of its members cannot be");
    }
    for (std::uint64_t entry = 0; entry < used; ++entry) {
      names_.check(fields.length());
      const std::uint64_t object = fields.address();
      const std::uint64_t kind = fields.number(4);
      fields.skip(4);
      const std::uint64_t link_value = fields.number(4);
      fields.skip(12);
      constexpr std::uint64_t soft_link = 2;
      if (kind == soft_link) {
        names_.check(link_value);
      } else if (kind > soft_link || object >= file_.end()) {
        site_.damaged("an entry among its members cannot be");
      }
    }
  }

  Inspection& file_;
  const Names& names_;
  Site site_;
};

}  // namespace

void check_symbol_table(const SymbolTable& table, Inspection& file, const Site& site) {
  const Names names(table.heap, file, site);
  Members(file, names, site).check_root(table.tree);
}

}  // namespace rhyton::io::hdf5
