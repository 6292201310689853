#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

namespace rhyton::summary {

/// A message in the wire format of protocol buffers, field by field
/// (https://protobuf.dev/programming-guides/encoding).
class ProtobufWriter {
 public:
  const std::string& bytes() const { return bytes_; }

  ProtobufWriter& integer(int field, std::int64_t value) {
    key(field, 0);
    varint(static_cast<std::uint64_t>(value));
    return *this;
  }
  ProtobufWriter& real(int field, double value) {
    key(field, 1);
    little_endian(std::bit_cast<std::uint64_t>(value));
    return *this;
  }
  /// A string, bytes, a message or packed numbers.
  ProtobufWriter& text(int field, std::string_view value) {
    key(field, 2);
    varint(value.size());
    bytes_ += value;
    return *this;
  }
  ProtobufWriter& message(int field, const ProtobufWriter& value) { return text(field, value.bytes()); }
  ProtobufWriter& real32(int field, float value) {
    key(field, 5);
    little_endian(std::bit_cast<std::uint32_t>(value));
    return *this;
  }

 private:
  void key(int field, int wire_type) {
    varint((static_cast<std::uint64_t>(field) << 3U) | static_cast<unsigned>(wire_type));
  }

  void varint(std::uint64_t value) {
    while (value >= 0x80U) {
      bytes_ += static_cast<char>((value & 0x7FU) | 0x80U);
      value >>= 7U;
    }
    bytes_ += static_cast<char>(value);
  }

  template <class Integer>
  void little_endian(Integer value) {
    for (std::size_t i = 0; i < sizeof(value); ++i) bytes_ += static_cast<char>((value >> (8 * i)) & 0xFFU);
  }

  std::string bytes_;
};

}  // namespace rhyton::summary
