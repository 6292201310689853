#include <rhyton/datasets/tf_record.h>

#include <algorithm>
#include <span>

#include <fmt/format.h>

#include <rhyton/framework/error.h>
#include <rhyton/framework/io/crc32c.h>
#include <rhyton/framework/io/record_writer.h>

namespace rhyton::datasets {
namespace {

// A record: its length, the length's checksum, the bytes, their checksum; numbers are little-endian.
constexpr std::size_t length_size = 8;
constexpr std::size_t checksum_size = 4;
constexpr std::size_t header_size = length_size + checksum_size;

std::uint64_t number_in(std::string_view bytes) {
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    number |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  }
  return number;
}

std::uint32_t checksum_of(std::string_view bytes) { return io::masked_crc32c(std::as_bytes(std::span(bytes))); }

io::Compression compression_of(const TFRecordOptions& options) {
  const std::optional<io::Compression> found = io::find_compression(options.compression_type);
  if (!found) throw ValueError(fmt::format("Not a valid compression_type: \"{}\"", options.compression_type));
  return *found;
}

}  // namespace

TFRecordWriter::TFRecordWriter(const std::filesystem::path& path, const TFRecordOptions& options)
    : file_(path, compression_of(options)) {}

void TFRecordWriter::write(std::string_view record) { file_.write(io::framed_record(record)); }

void TFRecordWriter::close() { file_.commit(); }

TFRecordReader::TFRecordReader(const std::filesystem::path& path, const TFRecordOptions& options)
    : path_(path), file_(path, compression_of(options)) {}

bool TFRecordReader::append(std::uint64_t count, std::string& bytes) {
  // In parts, since a damaged length may be that of no memory.
  constexpr std::size_t first_part = std::size_t{1} << 20;
  while (count > 0) {
    const auto part = static_cast<std::size_t>(std::min<std::uint64_t>(count, std::max(first_part, bytes.size())));
    const std::size_t before = bytes.size();
    bytes.resize(before + part);
    const std::size_t found = file_.read(bytes.data() + before, part);
    if (found < part) {
      bytes.resize(before + found);
      return false;
    }
    count -= part;
  }
  return true;
}

void TFRecordReader::refuse(const char* what) const {
  throw IOError(fmt::format("{} record at {} of \"{}\"", what, position_, path_.string()));
}

std::optional<std::string> TFRecordReader::next() {
  std::string header;
  if (!append(header_size, header)) {
    if (header.empty()) return std::nullopt;
    refuse("truncated");
  }
  const std::string_view length_bytes = std::string_view(header).substr(0, length_size);
  if (number_in(std::string_view(header).substr(length_size)) != checksum_of(length_bytes)) refuse("corrupted");
  const std::uint64_t length = number_in(length_bytes);
  std::string record;
  std::string footer;
  if (!append(length, record) || !append(checksum_size, footer)) refuse("truncated");
  if (number_in(footer) != checksum_of(record)) refuse("corrupted");
  position_ += header_size + length + checksum_size;
  return record;
}

}  // namespace rhyton::datasets
