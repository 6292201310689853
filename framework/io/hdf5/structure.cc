#include <rhyton/framework/io/hdf5/structure.h>

#include <algorithm>
#include <exception>
#include <map>

#include <fmt/format.h>

#include <rhyton/framework/io/hdf5/inspection.h>
#include <rhyton/framework/io/hdf5/object_header.h>
#include <rhyton/framework/io/hdf5/superblock.h>

namespace rhyton::io::hdf5 {
namespace {

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
    site.refused("is an external dataset, whose elements are in other files");
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

/// Checks the messages that both groups and datasets may have.
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
    /// The first path by which it was found.
    std::string path;
    bool is_checked = false;
    /// The error in its header, and in the rest.
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
        object.header = read_object_header(address, file, site);
        object.kind = kind_of(object.header, site);
      });
    }
    if (object.header_failure != nullptr) {
      std::rethrow_exception(object.header_failure);
    }
    return object;
  }

  /// Blocks can be claimed only once, so the error of an object is stored and thrown again.
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

  std::string name;
  Inspection file;
  std::map<std::uint64_t, Object> objects;
};

void Structure::State::check_beginning() {
  const Site site = file.site("/");
  const Superblock superblock = read_superblock(file, name, site);
  Object& group = find(superblock.root, "/");
  if (group.kind != ObjectKind::group) {
    site.damaged("it is not a group");
  }
  for (const Message& message : group.header.messages) {
    if (superblock.cached_root && message.type == MessageType::symbol_table &&
        !(read_symbol_table(message.content, site) == *superblock.cached_root)) {
      site.damaged("the beginning of the file and its header disagree");
    }
  }
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
    site.refused(fmt::format("is nested deeper than {} groups", deepest));
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
