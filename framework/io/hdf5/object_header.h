#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include <rhyton/framework/io/hdf5/inspection.h>

/// The header of a group or dataset. Only for the files that implement structure.h.
namespace rhyton::io::hdf5 {

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

/// The messages of one object, and the blocks that contain them.
struct ObjectHeader {
  std::deque<std::vector<std::byte>> blocks;
  std::vector<Message> messages;

  bool has(MessageType type) const {
    return std::any_of(messages.begin(), messages.end(), [&](const Message& m) { return m.type == type; });
  }
};

/// Reads the header at that address, block by block, and claims the blocks. The contents of the messages are not
/// checked. Throws IOError where it is damaged or of a refused kind.
ObjectHeader read_object_header(std::uint64_t address, Inspection& file, const Site& site);

}  // namespace rhyton::io::hdf5
