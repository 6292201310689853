#include <rhyton/datasets/tf_record.h>

#include <array>
#include <cstddef>
#include <span>
#include <system_error>

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

}  // namespace

TFRecordWriter::TFRecordWriter(const std::filesystem::path& path) : file_(std::make_unique<io::AtomicFile>(path)) {}

void TFRecordWriter::write(std::string_view record) { file_->write(io::framed_record(record)); }

void TFRecordWriter::close() { file_->commit(); }

TFRecordReader::TFRecordReader(const std::filesystem::path& path) : path_(path), file_(path, std::ios::binary) {
  std::error_code error;
  size_ = std::filesystem::file_size(path, error);
  if (!file_ || error) throw NotFoundError(fmt::format("{}; No such file or directory", path.string()));
}

bool TFRecordReader::read(char* bytes, std::size_t count) {
  file_.read(bytes, static_cast<std::streamsize>(count));
  return static_cast<std::size_t>(file_.gcount()) == count;
}

void TFRecordReader::refuse(const char* what) const {
  throw IOError(fmt::format("{} record at {} of \"{}\"", what, position_, path_.string()));
}

std::optional<std::string> TFRecordReader::next() {
  if (position_ == size_) return std::nullopt;
  std::array<char, header_size> header{};
  if (!read(header.data(), header.size())) refuse("truncated");
  const std::string_view length_bytes(header.data(), length_size);
  const std::uint64_t length = number_in(length_bytes);
  if (number_in({header.data() + length_size, checksum_size}) != checksum_of(length_bytes)) refuse("corrupted");
  if (length > size_ - position_ || size_ - position_ - length < header_size + checksum_size) refuse("truncated");
  std::string record(static_cast<std::size_t>(length), '\0');
  std::array<char, checksum_size> footer{};
  if (!read(record.data(), record.size()) || !read(footer.data(), footer.size())) refuse("truncated");
  if (number_in({footer.data(), footer.size()}) != checksum_of(record)) refuse("corrupted");
  position_ += header_size + length + checksum_size;
  return record;
}

}  // namespace rhyton::datasets
