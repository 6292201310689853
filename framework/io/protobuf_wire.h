#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <rhyton/framework/error.h>

// Messages of Protocol Buffers as bytes: https://protobuf.dev/programming-guides/encoding/
namespace rhyton::io {

/// How the value of a field is written.
enum class WireType : std::uint8_t { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };

/// A field of a message.
struct WireField {
  std::uint32_t number = 0;
  WireType type = WireType::varint;
  /// The value of all types but bytes.
  std::uint64_t value = 0;
  /// The bytes: a text, a message, or packed numbers. They are part of what is read.
  std::string_view bytes;
};

/// Reads the fields of a message in their order. Throws IOError, which says what is wrong, for bytes that are no message;
/// of groups, which are deprecated, too.
class WireReader {
 public:
  /// `bytes` must outlive the reader.
  explicit WireReader(std::string_view bytes) : rest_(bytes) {}

  /// The next field; none at the end.
  std::optional<WireField> next();
  /// For packed numbers: whether there are more, and the next of that type, not `bytes`.
  bool is_at_end() const { return rest_.empty(); }
  std::uint64_t number(WireType type);

 private:
  std::uint64_t varint();
  std::string_view take(std::uint64_t count);

  std::string_view rest_;
};

/// Appends to a message.
void append_varint(std::uint64_t number, std::string& message);
void append_fixed32(std::uint32_t number, std::string& message);
/// A field of bytes.
void append_field(std::uint32_t number, std::string_view bytes, std::string& message);

}  // namespace rhyton::io
