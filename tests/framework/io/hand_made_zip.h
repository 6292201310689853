#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <zlib.h>

namespace rhyton::test {

inline std::string little_endian(std::uint64_t value, int bytes) {
  std::string text;
  for (; bytes > 0; --bytes, value >>= 8) {
    text += static_cast<char>(value & 0xff);
  }
  return text;
}

struct HandMadeMember {
  std::string name;
  std::string content;
  /// What the archive claims, where it differs.
  std::uint64_t claimed_size = UINT64_MAX;
  bool deflated = false;
  unsigned flags = 0;
  /// Another way of packing than what `deflated` means.
  unsigned method = 0;
};

inline std::string deflate_raw(const std::string& content) {
  z_stream stream{};
  deflateInit2(&stream, 9, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY);
  std::string packed(deflateBound(&stream, content.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
  stream.avail_in = static_cast<uInt>(content.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

/// An archive that a sound writer would not write.
inline std::string hand_made(const std::vector<HandMadeMember>& members) {
  std::string text;
  std::string directory;
  for (const HandMadeMember& member : members) {
    const std::string data = member.deflated ? deflate_raw(member.content) : member.content;
    const std::uint64_t size = member.claimed_size == UINT64_MAX ? member.content.size() : member.claimed_size;
    const std::uint64_t packed_size = member.deflated || member.method != 0 ? data.size() : size;
    const auto checksum =
        crc32(0, reinterpret_cast<const Bytef*>(member.content.data()), static_cast<uInt>(member.content.size()));
    const unsigned method = member.deflated ? 8 : member.method;
    const std::string shared = little_endian(20, 2) + little_endian(member.flags, 2) + little_endian(method, 2) +
                               little_endian(0, 4) + little_endian(checksum, 4) + little_endian(packed_size, 4) +
                               little_endian(size, 4) + little_endian(member.name.size(), 2) + little_endian(0, 2);
    directory += "PK\x01\x02" + little_endian(20, 2) + shared + little_endian(0, 10);
    directory += little_endian(text.size(), 4) + member.name;
    text += "PK\x03\x04" + shared;
    text += member.name + data;
  }
  return text + directory + "PK\x05\x06" + little_endian(0, 4) + little_endian(members.size(), 2) +
         little_endian(members.size(), 2) + little_endian(directory.size(), 4) + little_endian(text.size(), 4) +
         little_endian(0, 2);
}

}  // namespace rhyton::test
