#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <rhyton/framework/io/hdf5/bytes.h>

/// The checks that implement structure.h. Only for the files that implement it.
namespace rhyton::io::hdf5 {

/// A file while it is checked: its bytes, and which of them already have an owner.
class Inspection {
 public:
  Inspection(FileBytes bytes, std::string name) : bytes_(std::move(bytes)), name_(std::move(name)) {}

  Site site(std::string_view path) const { return {name_, path}; }
  const FileBytes& bytes() const { return bytes_; }
  /// The end of the file according to its header.
  std::uint64_t end() const { return end_; }
  void set_end(std::uint64_t end) { end_ = end; }

  /// Assigns these bytes to one owner. Throws where they are beyond the file's end or already have an owner.
  void claim(std::uint64_t address, std::uint64_t size, const Site& site, std::string_view what);
  /// The same, and reads them.
  std::vector<std::byte> take(std::uint64_t address, std::uint64_t size, const Site& site, std::string_view what);

  /// The size of an object in a global heap, which stores texts of variable length. The heap is checked at the first
  /// call for it. Throws where there is no such object.
  std::uint64_t heap_object_size(std::uint64_t heap, std::uint64_t index, const Site& site);

  /// Half the number of entries of nodes.
  std::uint64_t group_leaf_k = 4;
  std::uint64_t group_internal_k = 16;
  std::uint64_t chunk_k = 32;

 private:
  using HeapObjects = std::map<std::uint64_t, std::uint64_t>;
  HeapObjects read_heap(std::uint64_t address, const Site& site);

  FileBytes bytes_;
  std::string name_;
  std::uint64_t end_ = 0;
  /// Begin → end of the ranges that have an owner.
  std::map<std::uint64_t, std::uint64_t> owned_;
  std::map<std::uint64_t, HeapObjects> heaps_;
};

struct Datatype {
  enum class Class : std::uint8_t { integer = 0, floating = 1, string = 3, opaque = 5, enumeration = 8, text = 9 };
  Class kind = Class::integer;
  std::uint64_t size = 0;
};

struct Dataspace {
  std::vector<std::uint64_t> lengths;
  std::uint64_t count = 1;
};

struct Filter {
  enum class Kind : std::uint8_t { gzip = 1, shuffle = 2, fletcher32 = 3 };
  Kind kind = Kind::gzip;
};

// Messages of object headers. Each function reads one whole message. They throw as `Site::damaged`.

Dataspace read_dataspace(std::span<const std::byte> message, const Site& site);
/// Throws TypeError for types that are not supported here.
Datatype read_datatype(std::span<const std::byte> message, const Site& site);
std::vector<Filter> read_filters(std::span<const std::byte> message, const Site& site);
void check_fill_value(std::span<const std::byte> message, bool is_old, const Datatype& type, const Site& site);
void check_attribute(std::span<const std::byte> message, Inspection& file, const Site& site);
void check_attribute_info(std::span<const std::byte> message, const Site& site);
void check_link_info(std::span<const std::byte> message, Inspection& file, const Site& site);
/// Returns the name of the link.
std::string_view check_link(std::span<const std::byte> message, const Inspection& file, const Site& site);
void check_group_info(std::span<const std::byte> message, const Site& site);

/// The member table of an older group.
struct SymbolTable {
  std::uint64_t tree = 0;
  std::uint64_t heap = 0;
  friend bool operator==(const SymbolTable&, const SymbolTable&) = default;
};
SymbolTable read_symbol_table(std::span<const std::byte> message, const Site& site);
void check_symbol_table(const SymbolTable& table, Inspection& file, const Site& site);

/// The member table of a newer group with more than eight members.
struct DenseLinks {
  std::uint64_t heap = 0;
  std::uint64_t names = 0;
  /// Set if members are also sorted in the order of their creation.
  std::optional<std::uint64_t> order = std::nullopt;
};
void check_dense_links(const DenseLinks& links, Inspection& file, const Site& site);

/// Checks the layout of a dataset, and its elements as far as they are compressed.
void check_layout(std::span<const std::byte> message, const Dataspace& space, const Datatype& type,
                  std::span<const Filter> filters, Inspection& file, const Site& site);

}  // namespace rhyton::io::hdf5
