// Checks where the elements of a dataset are, and whether compressed ones unpack to the right size.

#include <algorithm>
#include <array>
#include <limits>

#include <fmt/format.h>
#include <zlib.h>

#include <rhyton/framework/io/hdf5/inspection.h>
#include <rhyton/framework/io/hdf5/tree_node.h>

namespace rhyton::io::hdf5 {
namespace {

/// The unpacked size of these bytes, without keeping the result. Throws where it is more than `maximum`.
std::uint64_t unpacked_size(std::span<const std::byte> packed, std::uint64_t maximum, const Site& site) {
  struct Stream {
    Stream() : is_ready(inflateInit(&state) == Z_OK) {}
    ~Stream() { inflateEnd(&state); }
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;
    z_stream state{};
    bool is_ready;
  } stream;
  if (!stream.is_ready) {
    throw ResourceExhaustedError(fmt::format("no memory to unpack \"{}\"", site.file));
  }
  std::array<Bytef, 65536> buffer;
  std::uint64_t size = 0;
  int status = Z_OK;
  while (status == Z_OK) {
    if (stream.state.avail_in == 0) {
      const std::size_t piece = std::min<std::size_t>(packed.size(), std::numeric_limits<uInt>::max());
      stream.state.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(packed.data()));
      stream.state.avail_in = static_cast<uInt>(piece);
      packed = packed.subspan(piece);
    }
    stream.state.next_out = buffer.data();
    stream.state.avail_out = static_cast<uInt>(buffer.size());
    status = inflate(&stream.state, Z_NO_FLUSH);
    size += buffer.size() - stream.state.avail_out;
    if (size > maximum) {
      site.damaged(fmt::format("a chunk of {} bytes unpacks to more", maximum));
    }
  }
  if (status != Z_STREAM_END) {
    site.damaged("a packed chunk does not unpack");
  }
  return size;
}

class Chunks {
 public:
  Chunks(std::vector<std::uint64_t> lengths, std::uint64_t bytes, std::span<const Filter> filters, Inspection& file,
         const Site& site)
      : lengths_(std::move(lengths)), bytes_(bytes), filters_(filters), file_(file), site_(site) {}

  /// A negative level is that of the root, which is arbitrary.
  void check_tree(std::uint64_t address, int wanted_level) {
    constexpr std::string_view what = "the tree of its chunks";
    const std::uint64_t key_bytes = 8 + 8 * (lengths_.size() + 1);
    const std::uint64_t maximum = 2 * file_.chunk_k;
    const std::vector<std::byte> node =
        file_.take(address, tree_header_bytes + maximum * (8 + key_bytes) + key_bytes, site_, what);
    Fields fields(node, site_);
    const auto [level, used] = read_tree_node(fields, 1, maximum, wanted_level, site_, what);
    for (std::uint64_t child = 0; child < used; ++child) {
      const std::uint64_t stored_bytes = fields.number(4);
      const std::uint64_t left_out = fields.number(4);
      check_place(fields);
      const std::uint64_t below = fields.address();
      if (level > 0) {
        check_tree(below, level - 1);
      } else {
        check_chunk(below, stored_bytes, left_out);
      }
    }
    fields.skip(8);
    check_place(fields);
  }

 private:
  void check_place(Fields& fields) const {
    for (const std::uint64_t length : lengths_) {
      if (fields.length() % length != 0) {
        site_.damaged("a chunk does not begin where chunks begin");
      }
    }
    fields.skip(8);  // the offset within an element
  }

  /// Filters are undone from the last to the first; `left_out` has a bit for each that was not applied.
  void check_chunk(std::uint64_t address, std::uint64_t stored_bytes, std::uint64_t left_out) {
    std::uint64_t size = stored_bytes;
    const std::vector<std::byte> stored =
        filters_.empty() ? std::vector<std::byte>() : file_.take(address, stored_bytes, site_, "a chunk");
    if (filters_.empty()) {
      file_.claim(address, stored_bytes, site_, "a chunk");
    }
    bool is_packed_still = true;
    for (std::size_t index = filters_.size(); index-- > 0;) {
      if ((left_out >> index & 1) != 0) {
        continue;
      }
      switch (filters_[index].kind) {
        case Filter::Kind::fletcher32:
          if (index + 1 != filters_.size()) {
            site_.refused("has a checksum below other filters");
          }
          check_sum(stored);
          size -= checksum_bytes;
          break;
        case Filter::Kind::gzip:
          if (!is_packed_still) {
            site_.refused("is packed more than once");
          }
          size = unpacked_size(std::span(stored).first(static_cast<std::size_t>(size)), bytes_ + checksum_bytes, site_);
          is_packed_still = false;
          break;
        case Filter::Kind::shuffle:
          is_packed_still = false;  // the unshuffled bytes are not computed
          break;
      }
    }
    if (size != bytes_) {
      site_.damaged(fmt::format("a chunk has {} bytes, expected {}", size, bytes_));
    }
  }

  void check_sum(std::span<const std::byte> stored) const {
    if (stored.size() < checksum_bytes) {
      site_.damaged("a chunk is shorter than its checksum");
    }
    const auto content = stored.first(stored.size() - checksum_bytes);
    Fields sum(stored.last(checksum_bytes), site_);
    const std::uint64_t found = sum.number(checksum_bytes);
    const std::uint32_t wanted = fletcher32(content);
    // Versions before 1.6.3 swapped the two bytes of each half on little-endian machines.
    const std::uint32_t swapped = (wanted & 0x00ff00ffU) << 8 | (wanted >> 8 & 0x00ff00ffU);
    if (found != wanted && found != swapped) {
      site_.damaged("the checksum of a chunk is wrong");
    }
  }

  static constexpr std::uint64_t checksum_bytes = 4;
  std::vector<std::uint64_t> lengths_;
  std::uint64_t bytes_;
  std::span<const Filter> filters_;
  Inspection& file_;
  Site site_;
};

void check_chunked(Fields& fields, const Dataspace& space, const Datatype& type, std::span<const Filter> filters,
                   Inspection& file, const Site& site) {
  const std::uint64_t rank = fields.number(1);
  const std::uint64_t tree = fields.address();
  if (rank != space.lengths.size() + 1 || rank == 1) {
    site.damaged(fmt::format("its chunks have {} axes, it has {}", rank, space.lengths.size() + 1));
  }
  std::vector<std::uint64_t> lengths;
  std::uint64_t bytes = type.size;
  for (std::uint64_t axis = 0; axis + 1 < rank; ++axis) {
    lengths.push_back(fields.number(4));
    bytes = product(bytes, lengths.back(), site, "the size of its chunks");
  }
  if (fields.number(4) != type.size || bytes == 0) {
    site.damaged("its chunks have no size, or one of other elements");
  }
  // A chunk is read whole, even if only a small part belongs to the array.
  constexpr std::uint64_t always_allowed = std::uint64_t{64} << 20;
  const std::uint64_t elements = product(space.count, type.size, site, "its size");
  if (bytes > std::max(always_allowed, elements) || bytes > UINT32_MAX) {
    site.refused(fmt::format("has chunks of {} bytes", bytes));
  }
  if (tree != undefined_address) {
    Chunks(std::move(lengths), bytes, filters, file, site).check_tree(tree, -1);
  }
}

}  // namespace

void check_layout(std::span<const std::byte> message, const Dataspace& space, const Datatype& type,
                  std::span<const Filter> filters, Inspection& file, const Site& site) {
  Fields fields(message, site);
  const std::uint64_t version = fields.number(1);
  if (version != 3 && version != 4) {
    site.refused(fmt::format("has a layout of version {}", version));
  }
  const std::uint64_t kind = fields.number(1);
  constexpr std::uint64_t compact = 0;
  constexpr std::uint64_t contiguous = 1;
  constexpr std::uint64_t chunked = 2;
  constexpr std::uint64_t virtual_layout = 3;
  const std::uint64_t expected = product(space.count, type.size, site, "its size");
  const auto expect_size = [&](std::uint64_t found) {
    if (found != expected) {
      site.damaged(fmt::format("{} bytes are stored for elements of {} bytes", found, expected));
    }
  };
  if (kind != chunked && !filters.empty()) {
    site.damaged("it has filters but no chunks");
  }
  switch (kind) {
    case compact: {
      const std::uint64_t size = fields.number(2);
      expect_size(size);
      fields.skip(size);
      break;
    }
    case contiguous: {
      const std::uint64_t address = fields.address();
      expect_size(fields.length());
      if (address != undefined_address) {
        file.claim(address, expected, site, "the block of its elements");
      }
      break;
    }
    case chunked:
      if (version == 4) {
        site.refused("has its chunks indexed in a newer way (write the file without libver=\"latest\")");
      }
      check_chunked(fields, space, type, filters, file, site);
      break;
    case virtual_layout:
      site.refused("is a virtual dataset, whose elements are in other files");
    default:
      site.damaged("its layout is of an unknown kind");
  }
}

}  // namespace rhyton::io::hdf5
