#include <rhyton/framework/io/protobuf_wire.h>

#include <cstddef>

#include <fmt/format.h>

namespace rhyton::io {
namespace {

constexpr unsigned bits_of_type = 3;
constexpr unsigned bits_per_byte = 7;

}  // namespace

std::string_view WireReader::take(std::uint64_t count) {
  if (count > rest_.size()) throw IOError("a message ends early");
  const std::string_view taken = rest_.substr(0, static_cast<std::size_t>(count));
  rest_.remove_prefix(taken.size());
  return taken;
}

std::uint64_t WireReader::varint() {
  constexpr unsigned longest = 64;
  std::uint64_t number = 0;
  for (unsigned shift = 0; shift < longest; shift += bits_per_byte) {
    const auto byte = static_cast<unsigned char>(take(1).front());
    number |= std::uint64_t{byte & 0x7FU} << shift;
    if (byte < 0x80) return number;
  }
  throw IOError("a number of a message has more than ten bytes");
}

std::uint64_t WireReader::number(WireType type) {
  if (type == WireType::varint) return varint();
  std::uint64_t number = 0;
  unsigned shift = 0;
  for (const char byte : take(type == WireType::fixed64 ? sizeof(std::uint64_t) : sizeof(std::uint32_t))) {
    number |= std::uint64_t{static_cast<unsigned char>(byte)} << shift;
    shift += 8;
  }
  return number;
}

std::optional<WireField> WireReader::next() {
  if (rest_.empty()) return std::nullopt;
  const std::uint64_t tag = varint();
  constexpr std::uint64_t largest_tag = 0xFFFFFFFF;
  WireField field;
  field.number = static_cast<std::uint32_t>(tag >> bits_of_type);
  field.type = static_cast<WireType>(tag & 7U);
  if (tag > largest_tag || field.number == 0) throw IOError("a field of a message has no valid number");
  switch (field.type) {
    case WireType::varint:
    case WireType::fixed64:
    case WireType::fixed32:
      field.value = number(field.type);
      return field;
    case WireType::bytes:
      field.bytes = take(varint());
      return field;
  }
  throw IOError(fmt::format("a field of a message has the unknown type {}", tag & 7U));
}

void append_varint(std::uint64_t number, std::string& message) {
  for (; number >= 0x80; number >>= bits_per_byte) message += static_cast<char>((number & 0x7FU) | 0x80U);
  message += static_cast<char>(number);
}

void append_fixed32(std::uint32_t number, std::string& message) {
  for (unsigned shift = 0; shift < 32; shift += 8) message += static_cast<char>((number >> shift) & 0xFFU);
}

void append_field(std::uint32_t number, std::string_view bytes, std::string& message) {
  append_varint(std::uint64_t{number} << bits_of_type | static_cast<std::uint64_t>(WireType::bytes), message);
  append_varint(bytes.size(), message);
  message += bytes;
}

}  // namespace rhyton::io
