#include <rhyton/framework/io/hdf5/structure.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <exception>
#include <map>

#include <fmt/format.h>

#include <rhyton/framework/io/hdf5/inspection.h>

namespace rhyton::io::hdf5 {
namespace {

/// Types of messages in object headers.
enum class MessageType : std::uint8_t {
  nothing = 0x00,
  dataspace = 0x01,
  link_info = 0x02,
  datatype = 0x03,
  old_fill_value = 0x04,
  fill_value = 0x05,
  link = 0x06,
  external_files = 0x07,
  layout = 0x08,
  group_info = 0x0a,
  filters = 0x0b,
  attribute = 0x0c,
  comment = 0x0d,
  old_time = 0x0e,
  continuation = 0x10,
  symbol_table = 0x11,
  time = 0x12,
  attribute_info = 0x15,
  reference_count = 0x16
};

struct Message {
  MessageType type;
  std::span<const std::byte> content;
};

/// The messages of one object, and the blocks that they lie in.
struct ObjectHeader {
  std::deque<std::vector<std::byte>> blocks;
  std::vector<Message> messages;

  bool has(MessageType type) const {
    return std::any_of(messages.begin(), messages.end(), [&](const Message& m) { return m.type == type; });
  }
};

/// Reads the header of one object, block by block.
class HeaderReader {
 public:
  HeaderReader(Inspection& file, const Site& site) : file_(file), site_(site) {}

  ObjectHeader read(std::uint64_t address) {
    constexpr std::uint64_t shortest = 16;
    if (address > file_.end() || file_.end() - address < shortest) {
      site_.damaged(fmt::format("its header at {} lies beyond the end of the file", address));
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

ObjectKind kind_of(const ObjectHeader& header, const Site& site) {
  using enum MessageType;
  const auto has_any = [&](std::initializer_list<MessageType> types) {
    return std::any_of(types.begin(), types.end(), [&](MessageType type) { return header.has(type); });
  };
  const bool is_group = has_any({link_info, symbol_table});
  const bool is_dataset = header.has(layout) || (header.has(dataspace) && header.has(datatype));
  if (is_group) {
    if (has_any({dataspace, datatype, old_fill_value, fill_value, external_files, layout, filters}) ||
        (header.has(link_info) && header.has(symbol_table))) {
      site.damaged("its header is that of several kinds of objects");
    }
    return ObjectKind::group;
  }
  if (is_dataset) {
    if (!header.has(dataspace) || !header.has(datatype) || !header.has(layout) || has_any({link, group_info})) {
      site.damaged("its header is not that of a dataset");
    }
    return ObjectKind::dataset;
  }
  site.refused("is neither a group nor a dataset");
}

void check_group(const ObjectHeader& header, Inspection& file, const Site& site) {
  for (const Message& message : header.messages) {
    switch (message.type) {
      case MessageType::symbol_table:
        check_symbol_table(read_symbol_table(message.content, site), file, site);
        break;
      case MessageType::link_info:
        check_link_info(message.content, file, site);
        break;
      case MessageType::group_info:
        check_group_info(message.content, site);
        break;
      case MessageType::link:
        check_link(message.content, file, site);
        break;
      default:
        break;
    }
  }
}

void check_dataset(const ObjectHeader& header, Inspection& file, const Site& site) {
  const auto content_of = [&](MessageType type) {
    return std::find_if(header.messages.begin(), header.messages.end(),
                        [&](const Message& m) { return m.type == type; })
        ->content;
  };
  if (header.has(MessageType::external_files)) {
    site.refused("is an external dataset, whose elements lie in other files");
  }
  const Dataspace space = read_dataspace(content_of(MessageType::dataspace), site);
  const Datatype type = read_datatype(content_of(MessageType::datatype), site);
  std::vector<Filter> filters;
  if (header.has(MessageType::filters)) {
    filters = read_filters(content_of(MessageType::filters), site);
  }
  for (const MessageType fill : {MessageType::fill_value, MessageType::old_fill_value}) {
    if (header.has(fill)) {
      check_fill_value(content_of(fill), fill == MessageType::old_fill_value, type, site);
    }
  }
  check_layout(content_of(MessageType::layout), space, type, filters, file, site);
}

/// What groups and datasets may both have.
void check_shared_messages(const ObjectHeader& header, Inspection& file, const Site& site) {
  const auto expect_size = [&](const Message& message, std::uint64_t bytes) {
    Fields(message.content, site).skip(bytes);
  };
  for (const Message& message : header.messages) {
    switch (message.type) {
      case MessageType::attribute:
        check_attribute(message.content, file, site);
        break;
      case MessageType::attribute_info:
        check_attribute_info(message.content, site);
        break;
      case MessageType::comment:
        Fields(message.content, site).terminated_text(false);
        break;
      case MessageType::old_time:
        expect_size(message, 16);
        break;
      case MessageType::time:
        expect_size(message, 8);
        break;
      case MessageType::reference_count:
        expect_size(message, 5);
        break;
      default:
        break;
    }
  }
}

}  // namespace

struct Structure::State {
  struct Object {
    ObjectHeader header;
    ObjectKind kind = ObjectKind::group;
    /// The path by which it was reached first.
    std::string path;
    bool is_checked = false;
    /// What was wrong with its header, and with the rest.
    std::exception_ptr header_failure = nullptr;
    std::exception_ptr failure = nullptr;
  };

  State(FileBytes bytes, std::string file_name) : name(std::move(file_name)), file(std::move(bytes), name) {}

  Object& find(std::uint64_t address, const std::string& path) {
    const auto [place, is_new] = objects.try_emplace(address);
    Object& object = place->second;
    if (is_new) {
      attempt(object.header_failure, [&] {
        const Site site = file.site(path);
        object.path = path;
        object.header = HeaderReader(file, site).read(address);
        object.kind = kind_of(object.header, site);
      });
    }
    if (object.header_failure != nullptr) {
      std::rethrow_exception(object.header_failure);
    }
    return object;
  }

  /// Blocks are given away once: an object that failed fails again in the same way.
  template <class Check>
  static void attempt(std::exception_ptr& failure, Check check) {
    try {
      check();
    } catch (const Error&) {
      failure = std::current_exception();
      throw;
    }
  }

  void check_beginning();
  /// Superblocks of version 0 and 1; gives the address of the root group's header.
  std::uint64_t check_old_superblock(Fields& fields, std::uint64_t version, const Site& site);
  std::uint64_t check_new_superblock(Fields& fields, const Site& site);

  std::string name;
  Inspection file;
  std::map<std::uint64_t, Object> objects;
  /// What the superblock says of the root group, where it does.
  bool root_is_cached = false;
  SymbolTable cached_root;
};

void Structure::State::check_beginning() {
  constexpr std::string_view signature("\x89HDF\r\n\x1a\n", 8);
  constexpr std::uint64_t longest = 104;
  const std::vector<std::byte> start = file.bytes().read(0, std::min(longest, file.bytes().size()));
  if (start.size() < signature.size() || std::memcmp(start.data(), signature.data(), signature.size()) != 0) {
    throw IOError(fmt::format("\"{}\" is not an HDF5 file: it does not begin with HDF5's signature", name));
  }
  const Site site = file.site("/");
  Fields fields(start, site);
  fields.skip(signature.size());
  const std::uint64_t version = fields.number(1);
  if (version > 3) {
    site.refused(fmt::format("is in a file of the unknown version {}", version));
  }
  const std::uint64_t root =
      version < 2 ? check_old_superblock(fields, version, site) : check_new_superblock(fields, site);
  file.claim(0, start.size() - fields.left(), site, "the beginning of the file");

  Object& group = find(root, "/");
  if (group.kind != ObjectKind::group) {
    site.damaged("it is no group");
  }
  for (const Message& message : group.header.messages) {
    if (root_is_cached && message.type == MessageType::symbol_table &&
        !(read_symbol_table(message.content, site) == cached_root)) {
      site.damaged("the beginning of the file and its header disagree");
    }
  }
}

std::uint64_t Structure::State::check_old_superblock(Fields& fields, std::uint64_t version, const Site& site) {
  const bool versions_are_known = fields.number(1) == 0 && fields.number(1) == 0;
  fields.skip(1);
  const bool messages_are_known = fields.number(1) == 0;
  const std::uint64_t address_bytes = fields.number(1);
  const std::uint64_t length_bytes = fields.number(1);
  fields.skip(1);
  if (!versions_are_known || !messages_are_known || address_bytes != 8 || length_bytes != 8) {
    site.refused("is in a file whose beginning is of an unknown kind");
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
  const std::uint64_t root = fields.address();
  const std::uint64_t cached = fields.number(4);
  fields.skip(4);
  if (cached > 1) {
    site.damaged("it is a link");
  }
  root_is_cached = cached == 1;
  const std::uint64_t tree = fields.address();
  cached_root = {tree, fields.address()};
  return root;
}

std::uint64_t Structure::State::check_new_superblock(Fields& fields, const Site& site) {
  const std::uint64_t address_bytes = fields.number(1);
  const std::uint64_t length_bytes = fields.number(1);
  if (address_bytes != 8 || length_bytes != 8) {
    site.refused("is in a file whose beginning is of an unknown kind");
  }
  if (fields.number(1) != 0) {
    site.refused("is in a file that somebody is writing, or did not complete");
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
  const std::uint64_t root = fields.address();
  constexpr std::uint64_t summed_bytes = 44;
  if (fields.number(4) != metadata_checksum(file.bytes().read(0, summed_bytes))) {
    site.damaged("the checksum of the beginning of the file is wrong");
  }
  return root;
}

Structure::Structure(FileBytes bytes, std::string name)
    : state_(std::make_unique<State>(std::move(bytes), std::move(name))) {
  state_->check_beginning();
  for (auto& [address, object] : state_->objects) {
    check(address, object.path);
  }
}

Structure::~Structure() = default;

ObjectKind Structure::kind(std::uint64_t address, const std::string& path) { return state_->find(address, path).kind; }

ObjectKind Structure::check(std::uint64_t address, const std::string& path) {
  State::Object& object = state_->find(address, path);
  const Site site = state_->file.site(path);
  if (object.kind == ObjectKind::group && object.path != path) {
    site.refused(fmt::format("is another path to the group \"{}\"", object.path));
  }
  constexpr auto deepest = 128;
  if (std::count(path.begin(), path.end(), '/') > deepest) {
    site.refused(fmt::format("lies deeper than {} groups", deepest));
  }
  if (object.is_checked) {
    return object.kind;
  }
  if (object.failure != nullptr) {
    std::rethrow_exception(object.failure);
  }
  State::attempt(object.failure, [&] {
    check_shared_messages(object.header, state_->file, site);
    if (object.kind == ObjectKind::group) {
      check_group(object.header, state_->file, site);
    } else {
      check_dataset(object.header, state_->file, site);
    }
  });
  object.is_checked = true;
  object.header = {};
  return object.kind;
}

}  // namespace rhyton::io::hdf5
