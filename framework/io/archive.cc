#include <rhyton/framework/io/archive.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <optional>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include <rhyton/framework/error.h>
#include <rhyton/framework/io/atomic_file.h>
#include <rhyton/framework/io/gzip.h>
#include <rhyton/framework/io/zip/zip.h>
#include <rhyton/framework/warning.h>

namespace rhyton::io {
namespace {

namespace fs = std::filesystem;
using Bytes = std::span<const std::byte>;

constexpr std::size_t block = 512;
constexpr std::uint64_t archive_limit = std::uint64_t{8} << 30;

std::string_view text_at(Bytes header, std::size_t offset, std::size_t size) {
  const std::string_view field(reinterpret_cast<const char*>(header.data()) + offset, size);
  return field.substr(0, field.find('\0'));
}

/// An octal number in a header; none if it is something else.
std::optional<std::uint64_t> number_at(Bytes header, std::size_t offset, std::size_t size) {
  std::string_view text = text_at(header, offset, size);
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, 8);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// Whether the block is a header: its checksum is the sum of its bytes with spaces in the place of the checksum.
bool is_tar_header(Bytes header) {
  constexpr std::size_t checksum_offset = 148;
  constexpr std::size_t checksum_size = 8;
  if (header.size() < block) return false;
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < block; ++i) {
    const bool is_checksum = i >= checksum_offset && i < checksum_offset + checksum_size;
    sum += is_checksum ? std::uint64_t{' '} : std::to_integer<std::uint64_t>(header[i]);
  }
  return number_at(header, checksum_offset, checksum_size) == sum;
}

/// The value of "path" in the records "LENGTH KEY=VALUE\n" of an extended header; empty if there is none.
std::string path_in_records(std::string_view records) {
  std::string path;
  while (!records.empty()) {
    std::size_t length = 0;
    const auto [end, error] = std::from_chars(records.data(), records.data() + records.size(), length);
    const auto digits = static_cast<std::size_t>(end - records.data());
    if (error != std::errc() || length <= digits + 1 || length > records.size()) break;
    const std::string_view record = records.substr(digits + 1, length - digits - 2);
    constexpr std::string_view key = "path=";
    if (record.starts_with(key)) path = record.substr(key.size());
    records.remove_prefix(length);
  }
  return path;
}

/// Writes the members of an archive into its folder.
class Extraction {
 public:
  explicit Extraction(fs::path folder) : folder_(std::move(folder)) { make_folder(folder_); }

  void add_folder(const std::string& name) {
    if (const std::optional<fs::path> path = path_of(name)) make_folder(*path);
  }
  void add_file(const std::string& name, Bytes content) {
    const std::optional<fs::path> path = path_of(name);
    if (!path) return;
    make_folder(path->parent_path());
    std::ofstream file(*path, std::ios::binary | std::ios::trunc);
    file.write(reinterpret_cast<const char*>(content.data()), static_cast<std::streamsize>(content.size()));
    file.close();
    if (!file) throw IOError(fmt::format("cannot write the file \"{}\"", path->string()));
  }
  static void skip(const std::string& name) {
    warn("Skipping invalid path during archive extraction: '" + name + "'.");
  }

 private:
  /// None for a path that is not within the folder.
  std::optional<fs::path> path_of(const std::string& name) const {
    const fs::path relative = fs::path(name).lexically_normal();
    const bool is_within = relative.is_relative() && !relative.empty() && *relative.begin() != "..";
    if (is_within) return folder_ / relative;
    skip(name);
    return std::nullopt;
  }
  static void make_folder(const fs::path& folder) {
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) throw IOError(fmt::format("cannot make the folder \"{}\": {}", folder.string(), error.message()));
  }

  fs::path folder_;
};

void extract_tar(Bytes rest, const std::string& archive, const fs::path& folder) {
  const auto refuse = [&](const std::string& what) {
    throw IOError(fmt::format("\"{}\" is not a valid tar file: {}", archive, what));
  };
  Extraction extraction(folder);
  std::string long_name;
  while (rest.size() >= block) {
    const Bytes header = rest.first(block);
    if (std::all_of(header.begin(), header.end(), [](std::byte byte) { return byte == std::byte{0}; })) return;
    if (!is_tar_header(header)) refuse("a header is damaged");
    const std::optional<std::uint64_t> size = number_at(header, 124, 12);
    rest = rest.subspan(block);
    if (!size || *size > rest.size()) refuse("it ends early");
    const Bytes content = rest.first(static_cast<std::size_t>(*size));
    const std::string_view text(reinterpret_cast<const char*>(content.data()), content.size());
    const std::size_t padded = (content.size() + block - 1) / block * block;
    rest = rest.subspan(std::min(padded, rest.size()));

    const std::string_view prefix = text_at(header, 257, 5) == "ustar" ? text_at(header, 345, 155) : "";
    std::string name = prefix.empty() ? std::string() : std::string(prefix) + "/";
    name += text_at(header, 0, 100);
    const char type = static_cast<char>(header[156]);
    switch (type) {
      case 'L':  // GNU's long name of the next member
        long_name = text.substr(0, text.find('\0'));
        continue;
      case 'x':
        if (const std::string path = path_in_records(text); !path.empty()) long_name = path;
        continue;
      case 'g':
        continue;
      default:
        break;
    }
    if (!long_name.empty()) name = std::exchange(long_name, {});
    if (type == '5' || name.ends_with('/')) {
      extraction.add_folder(name);
    } else if (type == '0' || type == '\0') {
      extraction.add_file(name, content);
    } else {
      Extraction::skip(name);
    }
  }
}

void extract_zip(const fs::path& file, const fs::path& folder) {
  ZipReader zip(file);
  Extraction extraction(folder);
  for (const ZipMember& member : zip.members()) {
    if (member.name.ends_with('/')) {
      extraction.add_folder(member.name);
    } else {
      extraction.add_file(member.name, zip.read(member.name));
    }
  }
}

bool is_zip(Bytes bytes) {
  const std::string_view start(reinterpret_cast<const char*>(bytes.data()), std::min<std::size_t>(bytes.size(), 4));
  return start == "PK\x03\x04" || start == "PK\x05\x06";
}

}  // namespace

bool extract_archive(const fs::path& file, const fs::path& folder, const std::vector<std::string>& formats) {
  for (const std::string& format : formats) {
    if (format != "tar" && format != "zip") {
      throw ValueError("Archives are of the formats 'tar' and 'zip'. Received: '" + format + "'");
    }
  }
  const std::vector<std::byte> bytes = read_file(file, archive_limit);
  for (const std::string& format : formats) {
    if (format == "zip" && is_zip(bytes)) {
      extract_zip(file, folder);
      return true;
    }
    if (format != "tar") continue;
    if (is_gzip(bytes)) {
      const std::vector<std::byte> unpacked = gzip_decompress(bytes, file.string(), archive_limit);
      if (!is_tar_header(unpacked)) continue;
      extract_tar(unpacked, file.string(), folder);
      return true;
    }
    if (is_tar_header(bytes)) {
      extract_tar(bytes, file.string(), folder);
      return true;
    }
  }
  return false;
}

}  // namespace rhyton::io
