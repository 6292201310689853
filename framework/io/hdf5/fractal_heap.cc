#include <rhyton/framework/io/hdf5/fractal_heap.h>

#include <algorithm>
#include <bit>
#include <deque>
#include <iterator>

#include <fmt/format.h>

namespace rhyton::io::hdf5 {
namespace {

constexpr std::uint64_t table_width = 4;
constexpr std::uint64_t smallest_block = 512;
constexpr std::uint64_t largest_block = 65536;
constexpr std::uint64_t space_bits = 32;
constexpr std::uint64_t largest_object = 4096;
/// For the space of 2^32 bytes: 4 · 512 · 2^21.
constexpr std::uint64_t max_rows = 22;
/// Signature, version, the heap's address, the block's offset and a checksum.
constexpr std::uint64_t block_overhead = 4 + 1 + 8 + 4 + checksum_bytes;

constexpr std::uint64_t block_size_of_row(std::uint64_t row) {
  return row == 0 ? smallest_block : smallest_block << (row - 1);
}

/// The number of rows of a table that represents a block of that size.
constexpr std::uint64_t rows_of(std::uint64_t size) {
  return static_cast<std::uint64_t>(std::bit_width(size / (smallest_block * table_width)));
}

static_assert(block_size_of_row(8) == largest_block && rows_of(2 * largest_block) == 7);

}  // namespace

LinkHeap::LinkHeap(std::uint64_t address, Inspection& file, const Site& site)
    : address_(address), file_(file), site_(site) {
  read_header();
}

void LinkHeap::read_header() {
  constexpr std::uint64_t header_bytes = 146;
  const std::vector<std::byte> header = file_.take(address_, header_bytes, site_, "the heap of its members");
  Fields fields(header, site_);
  fields.expect("FRHP");
  constexpr std::uint64_t with_checksums = 2;
  const bool is_known = fields.number(1) == 0 && fields.number(2) == id_bytes && fields.number(2) == 0 &&
                        fields.number(1) == with_checksums && fields.number(4) == largest_object;
  if (!is_known) {
    site_.refused("keeps its members in a heap of an unknown form");
  }
  fields.skip(8);
  const bool has_huge_objects = fields.address() != undefined_address;
  // Free space, its index, the sizes of the space, the position where it grows, and the number of objects: used by
  // writers only, and not for finding an object.
  fields.skip(6 * 8);
  const std::uint64_t huge_bytes = fields.length();
  const std::uint64_t huge_objects = fields.length();
  const std::uint64_t tiny_bytes = fields.length();
  const std::uint64_t tiny_objects = fields.length();
  if (has_huge_objects || huge_bytes != 0 || huge_objects != 0 || tiny_bytes != 0 || tiny_objects != 0) {
    site_.refused("has a member whose name is longer than 4000 bytes");
  }
  const bool has_known_table = fields.number(2) == table_width && fields.length() == smallest_block &&
                               fields.length() == largest_block && fields.number(2) == space_bits &&
                               fields.number(2) == 1;
  if (!has_known_table) {
    site_.refused("keeps its members in a heap of an unknown form");
  }
  const std::uint64_t root = fields.address();
  const std::uint64_t rows = fields.number(2);
  if (rows > max_rows) {
    site_.damaged(fmt::format("the heap of its members has {} rows", rows));
  }
  if (fields.number(checksum_bytes) != metadata_checksum(std::span(header).first(header_bytes - checksum_bytes))) {
    site_.damaged("the checksum of the heap of its members is wrong");
  }
  if (root == undefined_address) {
    return;  // an empty one
  }
  if (rows == 0) {
    read_block(root, 0, smallest_block);
  } else {
    read_tables({.address = root, .offset = 0, .rows = rows});
  }
}

void LinkHeap::expect_beginning(Fields& fields, std::string_view letters, std::uint64_t offset) const {
  fields.expect(letters);
  if (fields.number(1) != 0 || fields.address() != address_ || fields.number(4) != offset) {
    site_.damaged("a block in the heap of its members is not where it belongs");
  }
}

void LinkHeap::read_tables(Table root) {
  std::deque<Table> tables = {root};
  while (!tables.empty()) {
    const Table table = tables.front();
    tables.pop_front();
    const std::uint64_t size = block_overhead + table.rows * table_width * 8;
    const std::vector<std::byte> bytes = file_.take(table.address, size, site_, "the heap of its members");
    Fields fields(bytes, site_);
    expect_beginning(fields, "FHIB", table.offset);
    std::uint64_t offset = table.offset;
    for (std::uint64_t entry = 0; entry < table.rows * table_width; ++entry) {
      const std::uint64_t address = fields.address();
      const std::uint64_t block = block_size_of_row(entry / table_width);
      if (address != undefined_address && block <= largest_block) {
        read_block(address, offset, block);
      } else if (address != undefined_address) {
        tables.push_back({.address = address, .offset = offset, .rows = rows_of(block)});
      }
      offset += block;
    }
    if (fields.number(checksum_bytes) != metadata_checksum(std::span(bytes).first(size - checksum_bytes))) {
      site_.damaged("the checksum of a table in the heap of its members is wrong");
    }
  }
}

void LinkHeap::read_block(std::uint64_t address, std::uint64_t offset, std::uint64_t size) {
  std::vector<std::byte> block = file_.take(address, size, site_, "the heap of its members");
  Fields fields(block, site_);
  expect_beginning(fields, "FHDB", offset);
  const std::uint64_t checksum = fields.number(checksum_bytes);
  // The checksum is that of the block with zeros in its place.
  std::fill_n(block.begin() + static_cast<std::ptrdiff_t>(block_overhead - checksum_bytes), checksum_bytes,
              std::byte{0});
  if (checksum != metadata_checksum(block)) {
    site_.damaged("the checksum of a block in the heap of its members is wrong");
  }
  if (!blocks_.emplace(offset, std::move(block)).second) {
    site_.damaged("two blocks in the heap of its members are in one place");
  }
}

std::span<const std::byte> LinkHeap::object(std::span<const std::byte> id) const {
  Fields fields(id, site_);
  if (fields.number(1) != 0) {
    site_.refused("has a member that is not kept among the others");
  }
  const std::uint64_t offset = fields.number(4);
  const std::uint64_t size = fields.number(2);
  const auto next = blocks_.upper_bound(offset);
  if (next == blocks_.begin()) {
    site_.damaged(fmt::format("the heap of its members has nothing at {}", offset));
  }
  const auto& [begin, block] = *std::prev(next);
  const std::uint64_t place = offset - begin;
  if (place < block_overhead || place > block.size() || size > block.size() - place || size == 0 ||
      size > largest_object) {
    site_.damaged(fmt::format("the heap of its members has no {} bytes at {}", size, offset));
  }
  return std::span(block).subspan(static_cast<std::size_t>(place), static_cast<std::size_t>(size));
}

}  // namespace rhyton::io::hdf5
