#include <rhyton/framework/io/hdf5/object_header.h>

#include <cstring>
#include <utility>

#include <fmt/format.h>

namespace rhyton::io::hdf5 {
namespace {

/// Reads the header of one object, block by block.
class HeaderReader {
 public:
  HeaderReader(Inspection& file, const Site& site) : file_(file), site_(site) {}

  ObjectHeader read(std::uint64_t address) {
    constexpr std::uint64_t shortest = 16;
    if (address > file_.end() || file_.end() - address < shortest) {
      site_.damaged(fmt::format("its header at {} is beyond the end of the file", address));
    }
    const std::vector<std::byte> start = file_.bytes().read(address, shortest);
    is_new_ = std::memcmp(start.data(), "OHDR", 4) == 0;
    if (is_new_) {
      read_new_start(address);
    } else {
      read_old_start(address);
    }
    while (!continuations_.empty()) {
      const Block next = continuations_.front();
      continuations_.pop_front();
      read_continuation(next);
    }
    return std::move(header_);
  }

 private:
  struct Block {
    std::uint64_t address;
    std::uint64_t size;
  };

  void read_old_start(std::uint64_t address) {
    constexpr std::uint64_t prefix_bytes = 16;
    const std::vector<std::byte> prefix = file_.take(address, prefix_bytes, site_, "its header");
    Fields fields(prefix, site_);
    if (fields.number(1) != 1) {
      site_.damaged("its header is of an unknown version");
    }
    fields.skip(1);
    const std::uint64_t count = fields.number(2);
    fields.skip(4);
    const std::uint64_t size = fields.number(4);
    if (count == 0 || size == 0) {
      site_.damaged("its header is empty");
    }
    read_messages(file_.take(address + prefix_bytes, size, site_, "its header"));
  }

  void read_new_start(std::uint64_t address) {
    constexpr std::uint64_t longest_prefix = 4 + 1 + 1 + 16 + 4 + 8;
    const std::vector<std::byte> prefix = file_.bytes().read(address, std::min(longest_prefix, file_.end() - address));
    Fields fields(prefix, site_);
    fields.expect("OHDR");
    const std::uint64_t version = fields.number(1);
    const std::uint64_t flags = fields.number(1);
    if (version != 2 || flags > 0x3f) {
      site_.damaged("its header is of an unknown version");
    }
    fields.skip(((flags & 0x20) != 0 ? 16 : 0) + ((flags & 0x10) != 0 ? 4 : 0));
    has_creation_order_ = (flags & 4) != 0;
    const std::uint64_t size = fields.number(std::size_t{1} << (flags & 3));
    const std::uint64_t prefix_bytes = prefix.size() - fields.left();
    file_.claim(address, prefix_bytes, site_, "its header");
    if (size > file_.end()) {
      site_.damaged("its header is longer than the file");
    }
    file_.claim(address + prefix_bytes, size + checksum_bytes, site_, "its header");
    std::vector<std::byte> block = file_.bytes().read(address, prefix_bytes + size + checksum_bytes);
    check_sum(block);
    block.erase(block.begin(), block.begin() + static_cast<std::ptrdiff_t>(prefix_bytes));
    read_messages(std::move(block));
  }

  /// Takes the checksum from the end.
  void check_sum(std::vector<std::byte>& block) const {
    const auto content = std::span<const std::byte>(block).first(block.size() - checksum_bytes);
    Fields sum(std::span<const std::byte>(block).last(checksum_bytes), site_);
    if (sum.number(checksum_bytes) != metadata_checksum(content)) {
      site_.damaged("the checksum of its header is wrong");
    }
    block.resize(block.size() - checksum_bytes);
  }

  void read_continuation(Block place) {
    std::vector<std::byte> block = file_.take(place.address, place.size, site_, "the continuation of its header");
    if (is_new_) {
      Fields(block, site_).expect("OCHK");
      constexpr std::uint64_t letters = 4;
      if (block.size() < letters + checksum_bytes) {
        site_.damaged("the continuation of its header is empty");
      }
      check_sum(block);
      block.erase(block.begin(), block.begin() + letters);
    }
    read_messages(std::move(block));
  }

  void read_messages(std::vector<std::byte> content) {
    const std::vector<std::byte>& block = header_.blocks.emplace_back(std::move(content));
    const std::uint64_t message_header = is_new_ ? (has_creation_order_ ? 6 : 4) : 8;
    Fields fields(block, site_);
    if (is_new_ && fields.left() < message_header) {
      site_.damaged("a block of its header is too short");
    }
    while (fields.left() > 0) {
      if (is_new_ && fields.left() < message_header) {
        break;  // a gap
      }
      const std::uint64_t type = fields.number(is_new_ ? 1 : 2);
      const std::uint64_t size = fields.number(2);
      const std::uint64_t flags = fields.number(1);
      fields.skip(is_new_ ? (has_creation_order_ ? 2 : 0) : 3);
      if (!is_new_ && size % 8 != 0) {
        site_.damaged("a message of its header has an odd size");
      }
      add_message(type, flags, fields.bytes(size));
    }
  }

  void add_message(std::uint64_t type, std::uint64_t flags, std::span<const std::byte> content) {
    if (!is_known(type)) {
      site_.refused(fmt::format("has a message of the type {} in its header", type));
    }
    const auto known = static_cast<MessageType>(type);
    constexpr std::uint64_t shared = 2;
    if ((flags & shared) != 0) {
      site_.refused("uses a named type, or another message that is shared");
    }
    if (known == MessageType::nothing) {
      return;
    }
    if (known == MessageType::continuation) {
      Fields fields(content, site_);
      const std::uint64_t address = fields.address();
      const std::uint64_t size = fields.length();
      if (size == 0) {
        site_.damaged("the continuation of its header is empty");
      }
      continuations_.push_back({address, size});
      return;
    }
    const bool may_repeat = known == MessageType::attribute || known == MessageType::link;
    if (!may_repeat && header_.has(known)) {
      site_.damaged(fmt::format("its header has two messages of the type {}", type));
    }
    header_.messages.push_back({known, content});
  }

  static bool is_known(std::uint64_t type) {
    return type <= 0x16 && type != 0x09 && type != 0x0f && type != 0x13 && type != 0x14;
  }

  Inspection& file_;
  Site site_;
  bool is_new_ = false;
  bool has_creation_order_ = false;
  std::deque<Block> continuations_;
  ObjectHeader header_;
};

}  // namespace

ObjectHeader read_object_header(std::uint64_t address, Inspection& file, const Site& site) {
  return HeaderReader(file, site).read(address);
}

}  // namespace rhyton::io::hdf5
