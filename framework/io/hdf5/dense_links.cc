// How groups store many members in the newer format: links in a heap, and trees that sort them by their names' hashes
// and, if that is enabled, by the order of their creation.

#include <bit>
#include <deque>
#include <vector>

#include <fmt/format.h>

#include <rhyton/framework/io/hdf5/fractal_heap.h>
#include <rhyton/framework/io/hdf5/inspection.h>

namespace rhyton::io::hdf5 {
namespace {

constexpr std::uint64_t node_bytes = 512;
/// Signature, version, kind and a checksum.
constexpr std::uint64_t node_overhead = 4 + 1 + 1 + checksum_bytes;
/// Deeper than any file can need.
constexpr std::uint64_t deepest = 8;

/// The sort keys of the trees; the numbers are the format's.
enum class Order : std::uint8_t { by_name = 5, by_making = 6 };

/// The bytes of a number up to `maximum`.
constexpr std::uint64_t bytes_for(std::uint64_t maximum) {
  return (static_cast<std::uint64_t>(std::bit_width(maximum)) + 7) / 8;
}

/// The capacity of nodes of one height.
struct Level {
  std::uint64_t records = 0;
  /// Including all nodes below it.
  std::uint64_t all_records = 0;
  /// The bytes of a reference to such a node.
  std::uint64_t reference_bytes = 0;
};

/// From the leaves up to the root of a tree of that depth.
std::vector<Level> levels_of(std::uint64_t depth, std::uint64_t record_bytes) {
  const std::uint64_t in_leaf = (node_bytes - node_overhead) / record_bytes;
  const std::uint64_t number_bytes = bytes_for(in_leaf);
  std::vector<Level> levels = {{.records = in_leaf, .all_records = in_leaf, .reference_bytes = 8 + number_bytes}};
  for (std::uint64_t height = 1; height <= depth; ++height) {
    const Level below = levels.back();
    const std::uint64_t records =
        (node_bytes - node_overhead - below.reference_bytes) / (record_bytes + below.reference_bytes);
    const std::uint64_t all = (records + 1) * below.all_records + records;
    levels.push_back({.records = records, .all_records = all, .reference_bytes = 8 + number_bytes + bytes_for(all)});
  }
  return levels;
}

class LinkTree {
 public:
  LinkTree(Order order, const LinkHeap& heap, Inspection& file, const Site& site)
      : order_(order), heap_(heap), file_(file), site_(site) {}

  void check(std::uint64_t address) {
    constexpr std::uint64_t header_bytes = 38;
    constexpr std::string_view what = "the tree of its members";
    const std::vector<std::byte> header = file_.take(address, header_bytes, site_, what);
    Fields fields(header, site_);
    fields.expect("BTHD");
    const bool is_known = fields.number(1) == 0 && fields.number(1) == static_cast<std::uint64_t>(order_) &&
                          fields.number(4) == node_bytes && fields.number(2) == record_bytes();
    if (!is_known) {
      site_.refused("keeps its members in a tree of an unknown form");
    }
    const std::uint64_t depth = fields.number(2);
    fields.skip(2);  // when nodes are split and merged
    const std::uint64_t root = fields.address();
    const std::uint64_t records = fields.number(2);
    const std::uint64_t all_records = fields.length();
    if (fields.number(checksum_bytes) != metadata_checksum(std::span(header).first(header_bytes - checksum_bytes))) {
      site_.damaged("the checksum of the tree of its members is wrong");
    }
    if (depth > deepest) {
      site_.damaged(fmt::format("the tree of its members has a depth of {}", depth));
    }
    if (root == undefined_address) {
      if (records != 0 || all_records != 0 || depth != 0) {
        site_.damaged("the tree of its members has no root");
      }
      return;
    }
    levels_ = levels_of(depth, record_bytes());
    nodes_.push_back({.address = root, .height = depth, .records = records, .all_records = all_records});
    while (!nodes_.empty()) {
      const Node node = nodes_.front();
      nodes_.pop_front();
      check_node(node);
    }
  }

 private:
  /// A node as described by its parent.
  struct Node {
    std::uint64_t address = 0;
    std::uint64_t height = 0;
    std::uint64_t records = 0;
    /// Including those below it.
    std::uint64_t all_records = 0;
    /// The range of its keys.
    std::uint64_t first = 0;
    std::uint64_t last = UINT64_MAX;
  };

  std::uint64_t key_bytes() const { return order_ == Order::by_name ? 4 : 8; }
  std::uint64_t record_bytes() const { return key_bytes() + LinkHeap::id_bytes; }

  void check_node(const Node& node) {
    const std::vector<std::byte> bytes = file_.take(node.address, node_bytes, site_, "the tree of its members");
    Fields fields(bytes, site_);
    fields.expect(node.height == 0 ? "BTLF" : "BTIN");
    if (fields.number(1) != 0 || fields.number(1) != static_cast<std::uint64_t>(order_) || node.records == 0 ||
        node.records > levels_[node.height].records) {
      site_.damaged("a node in the tree of its members cannot be");
    }
    std::vector<std::uint64_t> keys = {node.first};
    for (std::uint64_t record = 0; record < node.records; ++record) {
      keys.push_back(read_record(fields));
    }
    keys.push_back(node.last);
    for (std::size_t i = 1; i < keys.size(); ++i) {
      if (keys[i] < keys[i - 1]) {
        site_.damaged("the tree of its members is not in order");
      }
    }
    std::uint64_t all_records = node.records;
    for (std::uint64_t child = 0; node.height > 0 && child <= node.records; ++child) {
      const Node below = read_reference(fields, node.height - 1, keys[child], keys[child + 1]);
      all_records += below.all_records;
      nodes_.push_back(below);
    }
    if (all_records != node.all_records) {
      site_.damaged("a node in the tree of its members has another number of records than it should");
    }
    const std::uint64_t summed_bytes = bytes.size() - fields.left();
    if (fields.number(checksum_bytes) != metadata_checksum(std::span(bytes).first(summed_bytes))) {
      site_.damaged("the checksum of a node in the tree of its members is wrong");
    }
  }

  /// Reads the next record, checks its link and returns its key.
  std::uint64_t read_record(Fields& fields) const {
    const std::uint64_t key = fields.number(key_bytes());
    const std::string_view name = check_link(heap_.object(fields.bytes(LinkHeap::id_bytes)), file_, site_);
    if (order_ == Order::by_name && key != metadata_checksum(std::as_bytes(std::span(name)))) {
      site_.damaged("a member is sorted under another name than its own");
    }
    return key;
  }

  Node read_reference(Fields& fields, std::uint64_t height, std::uint64_t first, std::uint64_t last) const {
    const Level& level = levels_[height];
    Node node = {.address = fields.address(), .height = height, .first = first, .last = last};
    node.records = fields.number(bytes_for(levels_.front().records));
    node.all_records = height == 0 ? node.records : fields.number(bytes_for(level.all_records));
    if (node.all_records > level.all_records) {
      site_.damaged("a node in the tree of its members cannot be");
    }
    return node;
  }

  Order order_;
  const LinkHeap& heap_;
  Inspection& file_;
  Site site_;
  std::vector<Level> levels_;
  std::deque<Node> nodes_;
};

}  // namespace

void check_dense_links(const DenseLinks& links, Inspection& file, const Site& site) {
  const LinkHeap heap(links.heap, file, site);
  LinkTree(Order::by_name, heap, file, site).check(links.names);
  if (links.order) {
    LinkTree(Order::by_making, heap, file, site).check(*links.order);
  }
}

}  // namespace rhyton::io::hdf5
