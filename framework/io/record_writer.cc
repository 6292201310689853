#include <rhyton/framework/io/record_writer.h>

#include <cerrno>
#include <cstdint>
#include <span>
#include <system_error>
#include <utility>

#include <rhyton/framework/io/crc32c.h>
#include <rhyton/framework/io/file_size_signal.h>

namespace rhyton::io {
namespace {

template <class Integer>
std::string little_endian(Integer value) {
  std::string bytes;
  for (std::size_t i = 0; i < sizeof(value); ++i) bytes += static_cast<char>((value >> (8 * i)) & 0xFFU);
  return bytes;
}

std::uint32_t checksum_of(std::string_view data) { return masked_crc32c(std::as_bytes(std::span(data))); }

}  // namespace

std::string framed_record(std::string_view data) {
  const std::string length = little_endian(static_cast<std::uint64_t>(data.size()));
  std::string record = length + little_endian(checksum_of(length));
  record += data;
  return record + little_endian(checksum_of(data));
}

void RecordWriter::Close::operator()(std::FILE* file) const {
  const NoFileSizeSignal errors_only;
  std::fclose(file);
}

RecordWriter::RecordWriter(std::filesystem::path path)
    : path_(std::move(path)), file_(std::fopen(path_.c_str(), "wbx")) {
  if (file_ == nullptr) refuse(errno);
}

void RecordWriter::write(std::string_view data) {
  const NoFileSizeSignal errors_only;
  const std::string record = framed_record(data);
  if (file_ == nullptr) refuse(EBADF);
  if (std::fwrite(record.data(), 1, record.size(), file_.get()) != record.size()) refuse(errno);
}

void RecordWriter::flush() {
  const NoFileSizeSignal errors_only;
  if (file_ != nullptr && std::fflush(file_.get()) != 0) refuse(errno);
}

void RecordWriter::close() {
  flush();
  file_.reset();
}

void RecordWriter::refuse(int error) const {
  throw IOError("Cannot write the file '" + path_.string() + "': " + std::generic_category().message(error));
}

}  // namespace rhyton::io
