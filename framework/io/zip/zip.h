#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <rhyton/framework/error.h>
#include <rhyton/framework/io/file_part.h>
#include <rhyton/framework/io/hdf5/hdf5.h>

namespace rhyton::io {

/// One file within a zip archive.
struct ZipMember {
  std::string name;
  /// Bytes when unpacked.
  std::uint64_t size = 0;
};

/// Reads a zip archive, its members stored or deflated. Not for use by several threads at once.
///
/// An archive from a stranger is harmless. Refused when it is opened: absolute names, names with "..", duplicate
/// members, members that share their bytes or are said to unpack to more than can be, encrypted ones, entries at odds
/// with what stands before the member itself, and archives that would unpack to more than 4 GiB and more than 100 times
/// their own size. Refused when read: members that are neither stored nor deflated.
class ZipReader {
 public:
  static constexpr std::uint64_t expansion_floor = std::uint64_t{4} << 30;
  static constexpr std::uint64_t expansion_ratio = 100;

  /// Throws NotFoundError when there is no such file, IOError when it is no sound archive.
  explicit ZipReader(const std::filesystem::path& path);
  /// Reads from memory, which must outlive the reader. `name` is for error messages.
  ZipReader(std::span<const std::byte> bytes, std::string_view name);
  ~ZipReader();
  ZipReader(ZipReader&&) noexcept;
  ZipReader& operator=(ZipReader&&) noexcept;

  /// The members in the archive's order, folders left out.
  const std::vector<ZipMember>& members() const;
  bool contains(std::string_view name) const;

  /// A member's content; its checksum is verified. Throws NotFoundError when there is no such member,
  /// ResourceExhaustedError when it has more than `limit` bytes, IOError when it is damaged.
  std::vector<std::byte> read(std::string_view name, std::uint64_t limit = UINT64_MAX);
  /// The same as text.
  std::string read_text(std::string_view name, std::uint64_t limit = UINT64_MAX);

  /// The same in a temporary file without a name, which is gone with the last FilePart of it: for members that are too
  /// large to be held in memory. Empty where there is no room for such a file; throws as `read`.
  std::optional<FilePart> read_to_file(std::string_view name);

  /// Where in the file a stored member lies, its checksum verified, so that it can be read in place. Empty for members
  /// that are compressed and archives that are not a file; `read` serves for all.
  std::optional<FilePart> find_stored(std::string_view name) const;

 private:
  struct State;
  class MemberStream;
  void open_members();
  template <class Content>
  Content content_of(std::string_view name, std::uint64_t limit);
  std::unique_ptr<State> state_;
};

/// Writes a zip archive, its members stored, that appears whole on `commit`, or not at all.
class ZipWriter {
 public:
  /// Throws IOError when nothing can be written there.
  explicit ZipWriter(const std::filesystem::path& path);
  ~ZipWriter();
  ZipWriter(ZipWriter&&) noexcept;
  ZipWriter& operator=(ZipWriter&&) noexcept;

  /// Adds a member, uncompressed. Throws ValueError for a name that ZipReader would refuse or that is there already.
  void add_stored(std::string_view name, std::vector<std::byte> bytes);
  void add_stored(std::string_view name, std::string_view text);

  /// Begins the last member, an HDF5 file, which is written where it stands in the archive and thus needs no memory.
  /// The file is the caller's to fill until `commit`. Throws ValueError as `add_stored` does, and when there is one
  /// already.
  Hdf5File begin_hdf5(std::string_view name);

  /// Writes the archive and puts it in its place. Throws IOError; RuntimeError when called twice.
  void commit();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace rhyton::io
