#include <rhyton/framework/io/image/structure.h>

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <string>

#include <fmt/format.h>

namespace rhyton::io {
namespace {

/// Reads forward through a file; reading beyond its end throws.
class Reader {
 public:
  Reader(std::span<const std::byte> bytes, std::string_view name) : bytes_(bytes), name_(name) {}

  std::size_t rest() const { return bytes_.size() - position_; }

  void skip(std::uint64_t count) {
    require(count);
    position_ += static_cast<std::size_t>(count);
  }
  std::uint32_t byte() {
    require(1);
    return std::to_integer<std::uint32_t>(bytes_[position_++]);
  }
  std::uint32_t big_endian(int count) {
    std::uint32_t value = 0;
    for (int i = 0; i < count; ++i) value = value << 8 | byte();
    return value;
  }
  std::uint32_t little_endian(int count) {
    std::uint32_t value = 0;
    for (int i = 0; i < count; ++i) value |= byte() << (8 * i);
    return value;
  }
  std::span<const std::byte> take(std::uint64_t count) {
    const std::size_t first = position_;
    skip(count);
    return bytes_.subspan(first, static_cast<std::size_t>(count));
  }
  Reader part(std::uint64_t count) { return {take(count), name_}; }
  void skip_past(std::byte value) {
    const auto begin = bytes_.begin() + static_cast<std::ptrdiff_t>(position_);
    const auto found = std::find(begin, bytes_.end(), value);
    if (found == bytes_.end()) cut_short();
    position_ += static_cast<std::size_t>(found - begin) + 1;
  }

  [[noreturn]] void cut_short() const {
    throw IOError(fmt::format("\"{}\" is cut short: the image continues after its {} bytes", name_, bytes_.size()));
  }
  [[noreturn]] void cannot_hold(std::uint64_t width, std::uint64_t height) const {
    throw IOError(
        fmt::format("\"{}\" is cut short or damaged: its header has {} × {} pixels, more than {} bytes can hold", name_,
                    width, height, bytes_.size()));
  }
  [[noreturn]] void damaged(std::string_view what) const {
    throw IOError(fmt::format("\"{}\" is damaged: {}", name_, what));
  }

 private:
  void require(std::uint64_t count) const {
    if (count > rest()) cut_short();
  }

  std::span<const std::byte> bytes_;
  std::string_view name_;
  std::size_t position_ = 0;
};

std::uint32_t checksum(std::span<const std::byte> bytes) {
  return static_cast<std::uint32_t>(
      crc32_z(crc32_z(0, nullptr, 0), reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

std::string printable(std::span<const std::byte> type) {
  std::string text;
  for (const std::byte byte : type) {
    const int letter = std::to_integer<int>(byte);
    text += std::isprint(letter) != 0 ? std::string(1, static_cast<char>(letter)) : fmt::format("\\x{:02x}", letter);
  }
  return text;
}

void check_png(Reader& file) {
  constexpr std::size_t signature_bytes = 8;
  constexpr std::size_t type_bytes = 4;
  // The maximum ratio of deflate.
  constexpr std::uint64_t deflate_ratio = 1032;
  file.skip(signature_bytes);
  std::uint64_t width = 0;
  std::uint64_t height = 0;
  std::uint64_t row_bytes = 0;
  std::uint64_t packed_bytes = 0;
  while (true) {
    const std::uint32_t length = file.big_endian(4);
    const std::span<const std::byte> chunk = file.take(type_bytes + std::uint64_t{length});
    const std::string type = printable(chunk.first(type_bytes));
    if (file.big_endian(4) != checksum(chunk)) {
      file.damaged(fmt::format("the checksum of its chunk \"{}\" is wrong", type));
    }
    if (type == "IHDR" && length >= 13) {
      Reader header(chunk.subspan(type_bytes), "");
      width = header.big_endian(4);
      height = header.big_endian(4);
      const std::uint64_t depth = header.byte();
      const std::uint32_t color = header.byte();
      const std::uint64_t channels = color == 2 ? 3 : color == 4 ? 2 : color == 6 ? 4 : 1;
      row_bytes = width * channels * depth / 8;
    } else if (type == "IDAT") {
      packed_bytes += length;
    } else if (type == "IEND") {
      break;
    }
  }
  if (packed_bytes == 0) file.damaged("it has no pixels");
  if (row_bytes * height / deflate_ratio > packed_bytes) file.cannot_hold(width, height);
}

// Refuses tables with more codes than symbols: some decoders write them beyond their own tables.
void check_huffman_tables(Reader tables) {
  constexpr int code_lengths = 16;
  constexpr std::uint32_t max_symbols = 256;
  while (tables.rest() > 0) {
    tables.skip(1);
    std::uint32_t symbols = 0;
    for (int length = 0; length < code_lengths; ++length) symbols += tables.byte();
    if (symbols > max_symbols) tables.damaged("one of its Huffman tables has more than 256 codes");
    tables.skip(symbols);
  }
}

void check_frame(Reader frame, std::size_t file_bytes) {
  // A block takes at least one bit, and with the maximum subsampling 8 blocks make 32 × 32 pixels.
  constexpr std::uint64_t pixels_per_byte = 1024;
  constexpr std::uint32_t max_components = 4;
  frame.skip(1);
  const std::uint64_t height = frame.big_endian(2);
  const std::uint64_t width = frame.big_endian(2);
  if (width * height / pixels_per_byte > file_bytes) frame.cannot_hold(width, height);
  const std::uint32_t components = frame.byte();
  if (components == 0 || components > max_components) frame.damaged(fmt::format("it has {} components", components));
  std::array<std::uint32_t, max_components> across{};
  std::array<std::uint32_t, max_components> down{};
  for (std::uint32_t i = 0; i < components; ++i) {
    frame.skip(1);
    const std::uint32_t sampling = frame.byte();
    across[i] = sampling >> 4;
    down[i] = sampling & 15;
    frame.skip(1);
  }
  // Components whose samples are on no common grid would be read beyond their end.
  for (const auto& factors : {across, down}) {
    const std::uint32_t largest = *std::max_element(factors.begin(), factors.end());
    for (std::uint32_t i = 0; i < components; ++i) {
      if (factors[i] == 0 || factors[i] > 4 || largest % factors[i] != 0) {
        frame.damaged("its components have sampling factors that do not fit together");
      }
    }
  }
}

void check_jpeg(Reader& file) {
  constexpr std::uint32_t end_of_image = 0xd9;
  constexpr std::uint32_t start_of_scan = 0xda;
  constexpr std::uint32_t huffman_tables = 0xc4;
  // Each scan is decoded for the whole image, however short it is.
  constexpr int max_scans = 500;
  const std::size_t file_bytes = file.rest();
  int scans = 0;
  file.skip(2);
  while (true) {
    // Skips everything before a marker, such as entropy-coded data: there, 0xff is followed by zero or by a marker
    // without a segment.
    file.skip_past(std::byte{0xff});
    std::uint32_t marker = file.byte();
    while (marker == 0xff) marker = file.byte();
    if (marker == end_of_image) break;
    if (marker <= 0x01 || (marker >= 0xd0 && marker <= 0xd8)) continue;
    const std::uint32_t length = file.big_endian(2);
    if (length < 2) file.damaged("one of its blocks has no length");
    const Reader content = file.part(length - 2);
    if (marker == huffman_tables) check_huffman_tables(content);
    if (marker >= 0xc0 && marker <= 0xc2) check_frame(content, file_bytes);
    if (marker == start_of_scan && ++scans > max_scans) {
      file.damaged(fmt::format("it has more than {} scans", max_scans));
    }
  }
  if (scans == 0) file.damaged("it has no pixels");
}

void skip_color_table(Reader& file, std::uint32_t flags) {
  if ((flags & 0x80) != 0) file.skip(std::uint64_t{3} << ((flags & 7) + 1));
}

void skip_sub_blocks(Reader& file) {
  while (const std::uint32_t length = file.byte()) file.skip(length);
}

void check_gif(Reader& file) {
  file.skip(10);
  const std::uint32_t screen_flags = file.byte();
  file.skip(2);
  skip_color_table(file, screen_flags);
  while (true) {
    switch (file.byte()) {
      case 0x2c: {
        file.skip(8);
        skip_color_table(file, file.byte());
        file.skip(1);
        skip_sub_blocks(file);
        return;  // only the first frame is decoded
      }
      case 0x21:
        file.skip(1);
        skip_sub_blocks(file);
        break;
      case 0x3b:
        file.damaged("it has no image");
      default:
        file.damaged("one of its blocks is of no known kind");
    }
  }
}

void check_bmp(Reader& file) {
  constexpr std::uint32_t old_header_bytes = 12;
  const std::uint64_t file_bytes = file.rest();
  file.skip(10);
  const std::uint64_t offset = file.little_endian(4);
  const std::uint32_t header_bytes = file.little_endian(4);
  std::uint64_t width = 0;
  std::uint64_t height = 0;
  if (header_bytes == old_header_bytes) {
    width = file.little_endian(2);
    height = file.little_endian(2);
  } else {
    width = file.little_endian(4);
    // Negative where the first row is the top one.
    height = static_cast<std::uint64_t>(
        std::llabs(static_cast<long long>(static_cast<std::int32_t>(file.little_endian(4)))));
  }
  file.skip(2);
  const std::uint64_t bits = file.little_endian(2);
  if (bits == 0 || bits > 32) file.damaged(fmt::format("it has {} bits for a pixel", bits));
  const std::uint32_t compression = header_bytes == old_header_bytes ? 0 : file.little_endian(4);
  constexpr std::uint32_t plain = 0;
  constexpr std::uint32_t bit_fields = 3;
  if (compression != plain && compression != bit_fields) return;  // the decoder reports that it is not supported
  const std::uint64_t row_bytes = (width * bits + 31) / 32 * 4;
  if (height != 0 && row_bytes > (file_bytes - std::min(offset, file_bytes)) / height) file.cut_short();
}

}  // namespace

void check_image_structure(std::span<const std::byte> bytes, ImageFormat format, std::string_view name) {
  Reader file(bytes, name);
  switch (format) {
    case ImageFormat::png:
      check_png(file);
      break;
    case ImageFormat::jpeg:
      check_jpeg(file);
      break;
    case ImageFormat::gif:
      check_gif(file);
      break;
    case ImageFormat::bmp:
      check_bmp(file);
      break;
  }
}

}  // namespace rhyton::io
