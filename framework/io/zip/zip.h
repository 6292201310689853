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
/// Untrusted archives are safe to open. Refused when opened: absolute names, names with "..", duplicate members,
/// members that share bytes or declare an impossible size, encrypted ones, entries of the directory that differ from
/// the header before the member, and archives that would unpack to more than 4 GiB and more than 100 times their own
/// size. Refused when read: members that are neither stored nor deflated.
class ZipReader {
 public:
  static constexpr std::uint64_t expansion_floor = std::uint64_t{4} << 30;
  static constexpr std::uint64_t expansion_ratio = 100;

  /// Opens and checks an archive. Throws NotFoundError when there is no such file, IOError when it is no valid archive.
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

  /// The same in a temporary file without a name, which is removed with its last FilePart: for members that are too
  /// large for memory. Empty where such a file cannot be written; throws as `read`.
  std::optional<FilePart> read_to_file(std::string_view name);

  /// The bytes of a stored member in the file, its checksum verified, to be read in place. Empty for compressed members
  /// and for archives in memory; `read` works for all.
  std::optional<FilePart> find_stored(std::string_view name) const;

 private:
  struct State;
  class MemberStream;
  void open_members();
  template <class Content>
  Content content_of(std::string_view name, std::uint64_t limit);
  std::unique_ptr<State> state_;
};

/// Writes a zip archive of stored members, which is created completely by `commit`, or not at all.
class ZipWriter {
 public:
  /// Throws IOError when no file can be created in the folder of `path`.
  explicit ZipWriter(const std::filesystem::path& path);
  ~ZipWriter();
  ZipWriter(ZipWriter&&) noexcept;
  ZipWriter& operator=(ZipWriter&&) noexcept;

  /// Adds a member, uncompressed. Throws ValueError for a name that ZipReader would refuse or that is there already.
  void add_stored(std::string_view name, std::vector<std::byte> bytes);
  void add_stored(std::string_view name, std::string_view text);

  /// Begins the last member, an HDF5 file, which is written directly to its position in the archive and thus needs no
  /// memory. The caller writes to it until `commit`. Throws ValueError as `add_stored`, and when called twice.
  Hdf5File begin_hdf5(std::string_view name);

  /// Completes the archive and renames it to its destination. Throws IOError; RuntimeError when called twice.
  void commit();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace rhyton::io
