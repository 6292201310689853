#include <rhyton/framework/io/gzip.h>

#include <algorithm>
#include <limits>
#include <string>

#include <fmt/format.h>
#include <zlib.h>

#include <rhyton/framework/io/memory_errors.h>

namespace rhyton::io {
namespace {

constexpr int gzip_window_bits = 15 + 16;  // zlib's encoding of the gzip format
constexpr std::size_t footer_bytes = 8;

constexpr uInt at_most_uint(std::size_t count) {
  return static_cast<uInt>(std::min<std::size_t>(count, std::numeric_limits<uInt>::max()));
}

class Inflater {
 public:
  Inflater() {
    if (inflateInit2(&stream_, gzip_window_bits) != Z_OK) {
      throw ResourceExhaustedError("no memory to unpack a gzip file");
    }
  }
  ~Inflater() { inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  z_stream& stream() { return stream_; }

 private:
  z_stream stream_{};
};

class Deflater {
 public:
  explicit Deflater(int level) {
    constexpr int memory_level = 8;
    if (deflateInit2(&stream_, level, Z_DEFLATED, gzip_window_bits, memory_level, Z_DEFAULT_STRATEGY) != Z_OK) {
      throw ResourceExhaustedError("no memory to pack a gzip file");
    }
  }
  ~Deflater() { deflateEnd(&stream_); }
  Deflater(const Deflater&) = delete;
  Deflater& operator=(const Deflater&) = delete;
  z_stream& stream() { return stream_; }

 private:
  z_stream stream_{};
};

/// The length in the last member's trailer: usually that of the whole content, and only a first estimate.
std::size_t expected_size(std::span<const std::byte> bytes, std::uint64_t limit) {
  // Rarely reached; more memory is allocated when more content has been unpacked.
  constexpr std::size_t largest_ratio = 16;
  std::size_t size = 0;
  for (std::size_t index = 0; index < 4 && bytes.size() >= footer_bytes; ++index) {
    size |= std::to_integer<std::size_t>(bytes[bytes.size() - 4 + index]) << (8 * index);
  }
  constexpr std::size_t smallest = 4096;
  return static_cast<std::size_t>(
      std::min<std::uint64_t>(std::clamp(size, smallest, std::max(smallest, bytes.size() * largest_ratio)), limit));
}

std::vector<std::byte> unpack(std::span<const std::byte> bytes, std::string_view name, std::uint64_t limit) {
  if (!is_gzip(bytes)) {
    throw IOError(fmt::format("\"{}\" is not a gzip file: it does not begin with 1f 8b", name));
  }
  std::vector<std::byte> content(expected_size(bytes, limit));
  std::size_t filled = 0;
  std::size_t consumed = 0;
  std::byte beyond_limit{};
  Inflater inflater;
  z_stream& stream = inflater.stream();
  for (bool done = false; !done;) {
    if (filled == content.size()) {
      if (content.size() < limit) {
        content.resize(static_cast<std::size_t>(std::min<std::uint64_t>(limit, content.size() * 2 + 4096)));
      }
      // A full buffer may still mean that only the member's end is left to read: one spare byte lets zlib reach it.
      stream.next_out = reinterpret_cast<Bytef*>(content.size() > filled ? content.data() + filled : &beyond_limit);
      stream.avail_out = content.size() > filled ? at_most_uint(content.size() - filled) : 1;
    } else {
      stream.next_out = reinterpret_cast<Bytef*>(content.data() + filled);
      stream.avail_out = at_most_uint(content.size() - filled);
    }
    const uInt offered = stream.avail_out;
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(bytes.data() + consumed));
    stream.avail_in = at_most_uint(bytes.size() - consumed);
    const uInt given = stream.avail_in;
    const int status = inflate(&stream, Z_NO_FLUSH);
    consumed += given - stream.avail_in;
    filled += offered - stream.avail_out;
    if (filled > limit) {
      throw ResourceExhaustedError(fmt::format("\"{}\" unpacks to more than the limit of {} bytes", name, limit));
    }
    if (status == Z_STREAM_END) {
      const auto rest = bytes.subspan(consumed);
      if (is_gzip(rest)) {
        inflateReset(&stream);
      } else if (std::all_of(rest.begin(), rest.end(), [](std::byte byte) { return byte == std::byte{0}; })) {
        done = true;  // padding with zeros is customary
      } else {
        throw IOError(
            fmt::format("\"{}\" is damaged: its gzip data are followed by {} other bytes", name, rest.size()));
      }
    } else if (status == Z_MEM_ERROR) {
      throw ResourceExhaustedError(fmt::format("no memory to unpack \"{}\"", name));
    } else if (status != Z_OK && status != Z_BUF_ERROR) {
      throw IOError(fmt::format("\"{}\" is damaged: {} after {} of {} bytes of gzip data", name,
                                stream.msg != nullptr ? stream.msg : "invalid data", consumed, bytes.size()));
    } else if (consumed == bytes.size() && stream.avail_out > 0) {
      throw IOError(
          fmt::format("\"{}\" is cut short: its gzip data end in the middle, after {} bytes", name, bytes.size()));
    }
  }
  content.resize(filled);
  return content;
}

}  // namespace

bool is_gzip(std::span<const std::byte> bytes) {
  return bytes.size() >= 2 && bytes[0] == std::byte{0x1f} && bytes[1] == std::byte{0x8b};
}

std::vector<std::byte> gzip_decompress(std::span<const std::byte> bytes, std::string_view name, std::uint64_t limit) {
  return naming_memory_errors(name, [&] { return unpack(bytes, name, limit); });
}

std::vector<std::byte> gzip_compress(std::span<const std::byte> bytes, int level) {
  if (level < 0 || level > 9) {
    throw ValueError(fmt::format("the level of gzip compression is from 0 to 9, not {}", level));
  }
  Deflater deflater(level);
  z_stream& stream = deflater.stream();
  std::vector<std::byte> packed(static_cast<std::size_t>(deflateBound(&stream, static_cast<uLong>(bytes.size()))));
  std::size_t filled = 0;
  std::size_t consumed = 0;
  int status = Z_OK;
  while (status != Z_STREAM_END) {
    if (filled == packed.size()) {
      packed.resize(packed.size() * 2);
    }
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(bytes.data() + consumed));
    stream.avail_in = at_most_uint(bytes.size() - consumed);
    stream.next_out = reinterpret_cast<Bytef*>(packed.data() + filled);
    stream.avail_out = at_most_uint(packed.size() - filled);
    const uInt given = stream.avail_in;
    const uInt offered = stream.avail_out;
    status = deflate(&stream, consumed + given == bytes.size() ? Z_FINISH : Z_NO_FLUSH);
    if (status == Z_STREAM_ERROR) {
      throw RuntimeError("zlib cannot pack these bytes");
    }
    consumed += given - stream.avail_in;
    filled += offered - stream.avail_out;
  }
  packed.resize(filled);
  return packed;
}

}  // namespace rhyton::io
