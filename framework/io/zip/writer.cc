// Archives are written without libzip: it would copy an HDF5 member through memory, and through a second temporary file
// that remains when the process is killed.

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <ctime>
#include <limits>
#include <optional>
#include <system_error>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>
#include <zlib.h>

#include <rhyton/framework/io/atomic_file.h>
#include <rhyton/framework/io/file_size_signal.h>
#include <rhyton/framework/io/zip/names.h>
#include <rhyton/framework/io/zip/zip.h>

namespace rhyton::io {
namespace {

constexpr std::uint64_t largest_32_bits = std::numeric_limits<std::uint32_t>::max();

/// The little-endian records of the format.
class Record {
 public:
  Record& u16(std::uint64_t value) { return number(value, 2); }
  Record& u32(std::uint64_t value) { return number(value, 4); }
  Record& u64(std::uint64_t value) { return number(value, 8); }
  Record& text(std::string_view value) {
    bytes_.append(value);
    return *this;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  Record& number(std::uint64_t value, int count) {
    for (int i = 0; i < count; ++i) bytes_ += static_cast<char>((value >> (8 * i)) & 0xff);
    return *this;
  }
  std::string bytes_;
};

/// Date and time in the format of MS-DOS.
struct DosTime {
  std::uint64_t time = 0;
  std::uint64_t date = 0;

  static DosTime now();
};

struct Entry {
  std::string name;
  /// Read once: the header before the member and the one in the directory must have the same time.
  DosTime modified = DosTime::now();
  std::uint64_t size = 0;
  std::uint32_t checksum = 0;
  /// The offset of the local header.
  std::uint64_t offset = 0;

  bool is_large() const { return size >= largest_32_bits; }
};

DosTime DosTime::now() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  const auto bits = [](int value, int shift) { return static_cast<std::uint64_t>(value) << shift; };
  return {bits(local.tm_hour, 11) | bits(local.tm_min, 5) | bits(local.tm_sec / 2, 0),
          bits(std::max(local.tm_year - 80, 0), 9) | bits(local.tm_mon + 1, 5) | bits(local.tm_mday, 0)};
}

constexpr std::uint64_t version = 20;
constexpr std::uint64_t version_of_64_bits = 45;
constexpr std::uint64_t names_are_utf8 = 1 << 11;

std::string local_header(const Entry& entry) {
  Record extra;
  if (entry.is_large()) extra.u16(1).u16(16).u64(entry.size).u64(entry.size);
  const std::uint64_t size = entry.is_large() ? largest_32_bits : entry.size;
  return Record()
      .u32(0x04034b50)
      .u16(entry.is_large() ? version_of_64_bits : version)
      .u16(names_are_utf8)
      .u16(0)  // stored
      .u16(entry.modified.time)
      .u16(entry.modified.date)
      .u32(entry.checksum)
      .u32(size)
      .u32(size)
      .u16(entry.name.size())
      .u16(extra.bytes().size())
      .text(entry.name)
      .text(extra.bytes())
      .bytes();
}

std::string central_header(const Entry& entry) {
  const bool is_far = entry.offset >= largest_32_bits;
  Record values;
  if (entry.is_large()) values.u64(entry.size).u64(entry.size);
  if (is_far) values.u64(entry.offset);
  Record extra;
  if (!values.bytes().empty()) extra.u16(1).u16(values.bytes().size()).text(values.bytes());
  const std::uint64_t size = entry.is_large() ? largest_32_bits : entry.size;
  constexpr std::uint64_t made_on_unix = 3 << 8;
  constexpr std::uint64_t regular_file = std::uint64_t{0100644} << 16;
  const std::uint64_t needed = entry.is_large() || is_far ? version_of_64_bits : version;
  return Record()
      .u32(0x02014b50)
      .u16(made_on_unix | needed)
      .u16(needed)
      .u16(names_are_utf8)
      .u16(0)
      .u16(entry.modified.time)
      .u16(entry.modified.date)
      .u32(entry.checksum)
      .u32(size)
      .u32(size)
      .u16(entry.name.size())
      .u16(extra.bytes().size())
      .u16(0)
      .u16(0)
      .u16(0)
      .u32(regular_file)
      .u32(is_far ? largest_32_bits : entry.offset)
      .text(entry.name)
      .text(extra.bytes())
      .bytes();
}

std::string end_records(std::uint64_t count, std::uint64_t offset, std::uint64_t size) {
  Record record;
  if (offset >= largest_32_bits) {
    record.u32(0x06064b50).u64(44).u16(version_of_64_bits).u16(version_of_64_bits).u32(0).u32(0);
    record.u64(count).u64(count).u64(size).u64(offset);
    record.u32(0x07064b50).u32(0).u64(offset + size).u32(1);
  }
  record.u32(0x06054b50).u16(0).u16(0).u16(count).u16(count).u32(size).u32(std::min(offset, largest_32_bits)).u16(0);
  return record.bytes();
}

std::uint32_t checksum_of(std::uint32_t before, std::span<const std::byte> bytes) {
  return static_cast<std::uint32_t>(crc32_z(before, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

/// The temporary file, opened for reading and writing anywhere in it.
class OpenedFile {
 public:
  explicit OpenedFile(const std::filesystem::path& path) : descriptor_(::open(path.c_str(), O_RDWR | O_CLOEXEC)) {
    if (descriptor_ < 0) fail();
  }
  ~OpenedFile() { ::close(descriptor_); }
  OpenedFile(const OpenedFile&) = delete;
  OpenedFile& operator=(const OpenedFile&) = delete;

  std::uint64_t size() const {
    struct stat status {};
    if (::fstat(descriptor_, &status) != 0) fail();
    return static_cast<std::uint64_t>(status.st_size);
  }
  void read(std::uint64_t offset, std::span<std::byte> bytes) const {
    while (!bytes.empty()) {
      const ssize_t count = ::pread(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) fail();
      bytes = bytes.subspan(static_cast<std::size_t>(count));
      offset += static_cast<std::uint64_t>(count);
    }
  }
  void write(std::uint64_t offset, std::string_view bytes) const {
    const NoFileSizeSignal errors_only;
    while (!bytes.empty()) {
      const ssize_t count = ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) fail();
      bytes.remove_prefix(static_cast<std::size_t>(count));
      offset += static_cast<std::uint64_t>(count);
    }
  }

 private:
  [[noreturn]] static void fail() { throw std::system_error(errno, std::generic_category()); }
  int descriptor_;
};

}  // namespace

struct ZipWriter::State {
  explicit State(const std::filesystem::path& path) : file(path) {}

  /// Reserves a member's name. Throws ValueError for a name that is not allowed or already in use.
  void take_name(std::string_view name) {
    std::string_view complaint = zip_name_complaint(name);
    if (complaint.empty() && name.back() == '/') complaint = "names a folder";
    if (!complaint.empty()) {
      throw ValueError(fmt::format("a zip member cannot have the name \"{}\", which {}", name, complaint));
    }
    if (hdf5) throw ValueError(fmt::format("no member can follow an HDF5 file; received \"{}\"", name));
    if (!names.emplace(name).second) {
      throw ValueError(fmt::format("the zip archive already has a member \"{}\"", name));
    }
  }

  void append(std::string_view bytes) {
    file.write(bytes);
    length += bytes.size();
  }

  void finish_hdf5();
  void write_whole();

  AtomicFile file;
  std::vector<std::pair<Entry, std::vector<std::byte>>> members;
  std::unordered_set<std::string> names;
  std::uint64_t length = 0;
  std::vector<Entry> entries;
  std::optional<Hdf5File> hdf5;
  Entry hdf5_entry;
  /// The offset of the HDF5 file, which leaves enough bytes for all members before it and their headers.
  std::uint64_t hdf5_offset = 0;
  bool committed = false;
};

ZipWriter::ZipWriter(const std::filesystem::path& path) : state_(std::make_unique<State>(path)) {}
ZipWriter::~ZipWriter() = default;
ZipWriter::ZipWriter(ZipWriter&&) noexcept = default;
ZipWriter& ZipWriter::operator=(ZipWriter&&) noexcept = default;

void ZipWriter::add_stored(std::string_view name, std::vector<std::byte> bytes) {
  state_->take_name(name);
  Entry entry{.name = std::string(name), .size = bytes.size(), .checksum = checksum_of(0, bytes)};
  state_->members.emplace_back(std::move(entry), std::move(bytes));
}

void ZipWriter::add_stored(std::string_view name, std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text.data(), text.size()));
  add_stored(name, std::vector<std::byte>(bytes.begin(), bytes.end()));
}

Hdf5File ZipWriter::begin_hdf5(std::string_view name) {
  state_->take_name(name);
  state_->hdf5_entry.name = name;
  // The header may grow by fields for sizes of 64 bits.
  std::uint64_t before = local_header(state_->hdf5_entry).size() + 20;
  for (const auto& [entry, bytes] : state_->members) before += local_header(entry).size() + bytes.size();
  // The HDF5 library looks for the beginning of a file at offsets that are powers of two.
  state_->hdf5_offset = 512;
  while (state_->hdf5_offset < before) state_->hdf5_offset *= 2;
  state_->hdf5 = Hdf5File::create_at_offset(state_->file.temporary_path(), state_->hdf5_offset,
                                            state_->file.destination().string());
  return *state_->hdf5;
}

/// Closes the HDF5 file, makes its addresses relative to its own beginning, and determines size and checksum.
void ZipWriter::State::finish_hdf5() {
  hdf5->close();
  const OpenedFile opened(file.temporary_path());
  hdf5_entry.size = opened.size() - hdf5_offset;

  // Two addresses in the superblock (version 0) are relative to the start of the archive: its own, and that of its end.
  constexpr std::uint64_t own_address = 24;
  const std::string addresses = Record().u64(0).bytes();
  const std::string end = Record().u64(hdf5_entry.size).bytes();
  constexpr std::uint64_t end_address = 40;
  opened.write(hdf5_offset + own_address, addresses);
  opened.write(hdf5_offset + end_address, end);

  std::vector<std::byte> piece(std::size_t{1} << 20);
  for (std::uint64_t done = 0; done < hdf5_entry.size;) {
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(piece.size(), hdf5_entry.size - done));
    const std::span<std::byte> bytes(piece.data(), count);
    opened.read(hdf5_offset + done, bytes);
    hdf5_entry.checksum = checksum_of(hdf5_entry.checksum, bytes);
    done += count;
  }

  std::string start;
  for (auto& [entry, bytes] : members) {
    entry.offset = start.size();
    start += local_header(entry);
    start.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    entries.push_back(entry);
  }
  opened.write(0, start);
  const std::string header = local_header(hdf5_entry);
  hdf5_entry.offset = hdf5_offset - header.size();
  opened.write(hdf5_entry.offset, header);
  entries.push_back(hdf5_entry);
  length = hdf5_offset + hdf5_entry.size;
  std::string directory;
  for (const Entry& entry : entries) directory += central_header(entry);
  opened.write(length, directory + end_records(entries.size(), length, directory.size()));
}

void ZipWriter::State::write_whole() {
  for (auto& [entry, bytes] : members) {
    entry.offset = length;
    append(local_header(entry));
    file.write(bytes);
    length += bytes.size();
    entries.push_back(entry);
  }
  std::string directory;
  for (const Entry& entry : entries) directory += central_header(entry);
  const std::uint64_t offset = length;
  append(directory);
  append(end_records(entries.size(), offset, directory.size()));
}

void ZipWriter::commit() {
  if (state_->committed) {
    throw RuntimeError(fmt::format("\"{}\" was already committed", state_->file.destination().string()));
  }
  try {
    if (state_->hdf5) {
      state_->finish_hdf5();
    } else {
      state_->write_whole();
    }
  } catch (const std::system_error& error) {
    throw IOError(fmt::format("cannot write \"{}\": {}", state_->file.destination().string(), error.code().message()));
  }
  state_->file.commit();
  state_->committed = true;
}

}  // namespace rhyton::io
