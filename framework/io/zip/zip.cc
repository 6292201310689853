#include <rhyton/framework/io/zip/zip.h>

#include <zip.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include <rhyton/framework/io/memory_errors.h>
#include <rhyton/framework/io/unnamed_file.h>
#include <rhyton/framework/io/zip/directory.h>
#include <rhyton/framework/io/zip/names.h>

namespace rhyton::io {
namespace {

struct DiscardArchive {
  void operator()(zip_t* archive) const { zip_discard(archive); }
};
using Archive = std::unique_ptr<zip_t, DiscardArchive>;

struct CloseFile {
  void operator()(zip_file_t* file) const { zip_fclose(file); }
};
using OpenMember = std::unique_ptr<zip_file_t, CloseFile>;

class ZipError {
 public:
  ZipError() { zip_error_init(&error_); }
  explicit ZipError(int code) { zip_error_init_with_code(&error_, code); }
  ~ZipError() { zip_error_fini(&error_); }
  ZipError(const ZipError&) = delete;
  ZipError& operator=(const ZipError&) = delete;
  zip_error_t* get() { return &error_; }
  std::string text() { return zip_error_strerror(&error_); }

 private:
  zip_error_t error_{};
};

/// The error of an archive that libzip has not opened.
std::string complaint_of(const std::string& name, std::string_view start, int code, const std::string& text) {
  const bool is_zip = start.starts_with("PK");
  return code == ZIP_ER_NOZIP && !is_zip ? fmt::format("\"{}\" is not a zip archive", name)
                                         : fmt::format("\"{}\" is not a valid zip archive: {}", name, text);
}

std::string beginning_of(const std::filesystem::path& path) {
  std::array<char, 2> start{};
  std::ifstream file(path, std::ios::binary);
  file.read(start.data(), start.size());
  return {start.data(), static_cast<std::size_t>(file.gcount())};
}

/// The maximum ratio of the format "deflate": unpacked bytes for one packed byte.
constexpr zip_uint64_t largest_deflate_ratio = 1032;

}  // namespace

struct ZipReader::State {
  std::string name;
  /// Empty for an archive in memory.
  std::filesystem::path path;
  std::uint64_t archive_bytes = 0;
  Archive archive;
  std::vector<ZipMember> members;
  /// Name → index in the archive.
  std::unordered_map<std::string, zip_uint64_t> indices;
};

ZipReader::ZipReader(const std::filesystem::path& path) : state_(std::make_unique<State>()) {
  state_->name = path.string();
  state_->path = path;
  std::error_code error;
  if (!std::filesystem::exists(path, error)) {
    throw NotFoundError(fmt::format("no such file: \"{}\"", state_->name));
  }
  if (!std::filesystem::is_regular_file(path, error)) {
    throw IOError(fmt::format("cannot read \"{}\": it is not a regular file", state_->name));
  }
  state_->archive_bytes = std::filesystem::file_size(path, error);
  int code = 0;
  state_->archive.reset(zip_open(path.c_str(), ZIP_RDONLY | ZIP_CHECKCONS, &code));
  if (state_->archive == nullptr) {
    throw IOError(complaint_of(state_->name, beginning_of(path), code, ZipError(code).text()));
  }
  open_members();
}

ZipReader::ZipReader(std::span<const std::byte> bytes, std::string_view name) : state_(std::make_unique<State>()) {
  state_->name = name;
  state_->archive_bytes = bytes.size();
  ZipError error;
  zip_source_t* source = zip_source_buffer_create(bytes.data(), bytes.size(), 0, error.get());
  if (source != nullptr) {
    state_->archive.reset(zip_open_from_source(source, ZIP_RDONLY | ZIP_CHECKCONS, error.get()));
    if (state_->archive == nullptr) {
      zip_source_free(source);
    }
  }
  if (state_->archive == nullptr) {
    const std::string_view start(reinterpret_cast<const char*>(bytes.data()), std::min<std::size_t>(2, bytes.size()));
    throw IOError(complaint_of(state_->name, start, zip_error_code_zip(error.get()), error.text()));
  }
  open_members();
}

ZipReader::~ZipReader() = default;
ZipReader::ZipReader(ZipReader&&) noexcept = default;
ZipReader& ZipReader::operator=(ZipReader&&) noexcept = default;

void ZipReader::open_members() {
  const auto refuse = [&](std::string_view reason) {
    throw IOError(fmt::format("\"{}\" is refused: {}", state_->name, reason));
  };
  if (state_->archive_bytes == 0) {
    refuse("it is empty");  // which libzip treats as an archive without members
  }
  zip_t* archive = state_->archive.get();
  const zip_int64_t count = zip_get_num_entries(archive, 0);
  const std::uint64_t archive_bytes = state_->archive_bytes;
  const std::uint64_t allowed = archive_bytes > UINT64_MAX / expansion_ratio
                                    ? UINT64_MAX
                                    : std::max(expansion_floor, archive_bytes * expansion_ratio);
  std::uint64_t total = 0;
  std::uint64_t total_packed = 0;
  for (zip_int64_t entry = 0; entry < count; ++entry) {
    const auto index = static_cast<zip_uint64_t>(entry);
    zip_stat_t status;
    zip_stat_init(&status);
    const bool known = zip_stat_index(archive, index, 0, &status) == 0;
    constexpr zip_uint64_t needed =
        ZIP_STAT_NAME | ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD | ZIP_STAT_ENCRYPTION_METHOD;
    if (!known || (status.valid & needed) != needed) {
      refuse(fmt::format("its entry {} cannot be read", entry));
    }
    const std::string name = status.name;
    if (const std::string_view complaint = zip_name_complaint(name); !complaint.empty()) {
      refuse(fmt::format("the name of its member \"{}\" {}", name, complaint));
    }
    if (!state_->indices.try_emplace(name, index).second) {
      refuse(fmt::format("it has more than one member \"{}\"", name));
    }
    if (status.encryption_method != ZIP_EM_NONE) {
      refuse(fmt::format("its member \"{}\" is encrypted", name));
    }
    // Members that share bytes, as in zip bombs, declare more bytes in total than the archive has.
    if (status.comp_size > archive_bytes - total_packed) {
      refuse(fmt::format("its members take more bytes than its {}", archive_bytes));
    }
    total_packed += status.comp_size;
    if (status.comp_method == ZIP_CM_STORE && status.size != status.comp_size) {
      refuse(fmt::format("its member \"{}\" is stored in {} bytes, but its size is {}", name, status.comp_size,
                         status.size));
    }
    if (status.comp_method == ZIP_CM_DEFLATE && status.size / largest_deflate_ratio > status.comp_size) {
      refuse(fmt::format("its member \"{}\" cannot unpack to {} bytes from {}", name, status.size, status.comp_size));
    }
    if (status.size > allowed - total) {
      refuse(fmt::format("its {} bytes would unpack to more than {} bytes", archive_bytes, allowed));
    }
    total += status.size;
    if (name.back() == '/') {
      state_->indices.erase(name);
    } else {
      state_->members.push_back({name, status.size});
    }
  }
}

const std::vector<ZipMember>& ZipReader::members() const { return state_->members; }

bool ZipReader::contains(std::string_view name) const { return state_->indices.contains(std::string(name)); }

/// A member that is being read, from its beginning to its end.
class ZipReader::MemberStream {
 public:
  MemberStream(const State& state, std::string_view name, std::uint64_t limit)
      : place_(fmt::format("member \"{}\" of \"{}\"", name, state.name)) {
    const auto found = state.indices.find(std::string(name));
    if (found == state.indices.end()) {
      throw NotFoundError(fmt::format("\"{}\" has no member \"{}\"", state.name, name));
    }
    zip_stat_t status;
    zip_stat_init(&status);
    zip_stat_index(state.archive.get(), found->second, 0, &status);
    if (status.size > limit) {
      throw ResourceExhaustedError(
          fmt::format("{} has {} bytes, more than the limit of {} bytes", place_, status.size, limit));
    }
    if (status.comp_method != ZIP_CM_STORE && status.comp_method != ZIP_CM_DEFLATE) {
      fail(fmt::format("its compression method {} is not supported, only stored (0) and deflated (8)",
                       status.comp_method));
    }
    size_ = status.size;
    file_.reset(zip_fopen_index(state.archive.get(), found->second, 0));
    if (file_ == nullptr) {
      fail(zip_strerror(state.archive.get()));
    }
  }

  /// Bytes when unpacked.
  std::uint64_t size() const { return size_; }
  std::uint64_t rest() const { return size_ - done_; }

  /// Reads the next bytes into all of `bytes`, at most `rest()`.
  void read(std::span<std::byte> bytes) {
    while (!bytes.empty()) {
      const zip_int64_t count = zip_fread(file_.get(), bytes.data(), bytes.size());
      if (count < 0) {
        fail(zip_file_strerror(file_.get()));
      }
      if (count == 0) {
        fail(fmt::format("expected {} bytes, found {}", size_, done_));
      }
      bytes = bytes.subspan(static_cast<std::size_t>(count));
      done_ += static_cast<std::uint64_t>(count);
    }
  }

  /// To be called when all bytes have been read: libzip verifies the checksum when a read reaches the end.
  void finish() {
    std::array<std::byte, 1> beyond{};
    const zip_int64_t extra = zip_fread(file_.get(), beyond.data(), beyond.size());
    if (extra != 0) {
      fail(extra < 0 ? std::string(zip_file_strerror(file_.get()))
                     : fmt::format("expected {} bytes, found more", size_));
    }
  }

 private:
  [[noreturn]] void fail(std::string_view reason) const {
    throw IOError(fmt::format("{} cannot be read: {}", place_, reason));
  }

  std::string place_;
  OpenMember file_;
  std::uint64_t size_ = 0;
  std::uint64_t done_ = 0;
};

template <class Content>
Content ZipReader::content_of(std::string_view name, std::uint64_t limit) {
  MemberStream member(*state_, name, limit);
  Content content;
  content.reserve(static_cast<std::size_t>(member.size()));
  constexpr std::uint64_t largest_piece = std::uint64_t{64} << 20;
  while (member.rest() > 0) {
    // Grows with the bytes actually read, so that a wrong size in the header takes no memory.
    const auto piece = static_cast<std::size_t>(std::min(member.rest(), largest_piece));
    content.resize(content.size() + piece);
    member.read(std::as_writable_bytes(std::span(content.data(), content.size())).last(piece));
  }
  member.finish();
  return content;
}

std::vector<std::byte> ZipReader::read(std::string_view name, std::uint64_t limit) {
  return naming_memory_errors(state_->name, [&] { return content_of<std::vector<std::byte>>(name, limit); });
}

std::string ZipReader::read_text(std::string_view name, std::uint64_t limit) {
  return naming_memory_errors(state_->name, [&] { return content_of<std::string>(name, limit); });
}

std::optional<FilePart> ZipReader::read_to_file(std::string_view name) {
  MemberStream member(*state_, name, UINT64_MAX);
  std::optional<UnnamedFile> file = UnnamedFile::create();
  std::vector<std::byte> buffer(std::size_t{256} << 10);  // stays in the second cache
  while (file && member.rest() > 0) {
    const std::span<std::byte> piece(buffer.data(),
                                     static_cast<std::size_t>(std::min<std::uint64_t>(member.rest(), buffer.size())));
    member.read(piece);
    if (!file->append(piece)) return std::nullopt;
  }
  if (!file) return std::nullopt;
  member.finish();
  return std::move(*file).content();
}

std::optional<FilePart> ZipReader::find_stored(std::string_view name) const {
  const auto found = state_->indices.find(std::string(name));
  if (state_->path.empty() || found == state_->indices.end()) return std::nullopt;
  zip_stat_t status;
  zip_stat_init(&status);
  constexpr zip_uint64_t needed = ZIP_STAT_SIZE | ZIP_STAT_CRC | ZIP_STAT_COMP_METHOD;
  if (zip_stat_index(state_->archive.get(), found->second, 0, &status) != 0 || (status.valid & needed) != needed ||
      status.comp_method != ZIP_CM_STORE) {
    return std::nullopt;
  }
  const FilePart file = FilePart::whole(state_->path);
  const std::optional<std::uint64_t> offset = zip_data_offset(file, name);
  if (!offset || *offset > file.size() || status.size > file.size() - *offset) return std::nullopt;
  FilePart part = file.part(*offset, status.size);
  if (part.checksum() != status.crc) return std::nullopt;  // `read` reports the error
  return part;
}

}  // namespace rhyton::io
