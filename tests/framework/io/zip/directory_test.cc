#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include <rhyton/framework/io/file_part.h>
#include <rhyton/framework/io/zip/directory.h>
#include <rhyton/framework/io/zip/zip.h>
#include <rhyton/tests/framework/io/temporary_folder.h>

namespace rhyton::io {
namespace {

using test::content_of;
using test::put;
using test::TemporaryFolder;

constexpr std::size_t end_bytes = 22;
constexpr std::size_t local_header_bytes = 30;

std::string archive_of_two(const TemporaryFolder& folder) {
  const auto path = folder / "sound.zip";
  ZipWriter writer(path);
  writer.add_stored("first.txt", "the first");
  writer.add_stored("second.txt", "the second");
  writer.commit();
  return content_of(path);
}

std::optional<std::uint64_t> offset_in(const TemporaryFolder& folder, const std::string& archive,
                                       std::string_view name) {
  put(folder / "changed.zip", archive);
  return zip_data_offset(FilePart::whole(folder / "changed.zip"), name);
}

TEST(ZipDirectoryTest, WhereMembersBegin) {
  const TemporaryFolder folder;
  const std::string archive = archive_of_two(folder);
  EXPECT_EQ(offset_in(folder, archive, "first.txt"), archive.find("the first"));
  EXPECT_EQ(offset_in(folder, archive, "second.txt"), archive.find("the second"));
}

TEST(ZipDirectoryTest, NamesAreWhole) {
  const TemporaryFolder folder;
  const std::string archive = archive_of_two(folder);
  EXPECT_EQ(offset_in(folder, archive, "first"), std::nullopt);
  EXPECT_EQ(offset_in(folder, archive, "first.txt.gz"), std::nullopt);
  EXPECT_EQ(offset_in(folder, archive, ""), std::nullopt);
}

TEST(ZipDirectoryTest, ACommentBehindTheDirectory) {
  const TemporaryFolder folder;
  std::string archive = archive_of_two(folder);
  archive[archive.size() - 2] = 5;
  archive += "hello";
  EXPECT_EQ(offset_in(folder, archive, "second.txt"), archive.find("the second"));
}

// Another writer's extra field may have another length there than in the directory.
TEST(ZipDirectoryTest, TheLengthsBeforeTheMemberCount) {
  const TemporaryFolder folder;
  std::string archive = archive_of_two(folder);
  const std::size_t data = archive.find("the first");
  const std::size_t header = archive.rfind("PK\3\4", data);
  const std::size_t extra_length = header + local_header_bytes - 2;
  const std::size_t before = data - header - local_header_bytes;
  ASSERT_EQ(
      static_cast<std::size_t>(static_cast<unsigned char>(archive[extra_length])) + std::string("first.txt").size(),
      before);
  archive[extra_length] = static_cast<char>(archive[extra_length] + 3);
  EXPECT_EQ(offset_in(folder, archive, "first.txt"), data + 3);
}

TEST(ZipDirectoryTest, WhatIsNoArchive) {
  const TemporaryFolder folder;
  EXPECT_EQ(offset_in(folder, "", "a"), std::nullopt);
  EXPECT_EQ(offset_in(folder, "too short", "a"), std::nullopt);
  EXPECT_EQ(offset_in(folder, std::string(200000, 'P'), "a"), std::nullopt);
}

// For any changed byte: an offset within the file's range, or none; nothing is read beyond the file.
TEST(ZipDirectoryTest, DamageNeverReadsBeyondTheFile) {
  const TemporaryFolder folder;
  const std::string sound = archive_of_two(folder);
  int changed = 0;
  for (std::size_t at = 0; at < sound.size(); ++at) {
    for (const unsigned char value : {0x00, 0x7f, 0xff}) {
      std::string archive = sound;
      archive[at] = static_cast<char>(value);
      const auto offset = offset_in(folder, archive, "second.txt");
      if (offset != sound.find("the second")) ++changed;
      // At most two lengths of 16 bits after the last header.
      EXPECT_LE(offset.value_or(0), sound.size() + 2 * 65535) << "byte " << at;
    }
  }
  EXPECT_GT(changed, 0) << "no change was seen at all";
}

TEST(ZipDirectoryTest, FilesCutShort) {
  const TemporaryFolder folder;
  const std::string sound = archive_of_two(folder);
  for (std::size_t size = 0; size < sound.size(); ++size) {
    EXPECT_EQ(offset_in(folder, sound.substr(0, size), "second.txt"), std::nullopt) << size << " bytes";
  }
}

TEST(ZipDirectoryTest, OffsetsBeyondTheFile) {
  const TemporaryFolder folder;
  std::string archive = archive_of_two(folder);
  const std::size_t end = archive.size() - end_bytes;
  for (std::size_t i = 0; i < 4; ++i) archive[end + 16 + i] = '\xfe';
  EXPECT_EQ(offset_in(folder, archive, "first.txt"), std::nullopt) << "of the directory";

  archive = archive_of_two(folder);
  const std::size_t entry = archive.find("PK\1\2");
  for (std::size_t i = 0; i < 4; ++i) archive[entry + 42 + i] = '\xfe';
  EXPECT_EQ(offset_in(folder, archive, "first.txt"), std::nullopt) << "of the member";
  EXPECT_EQ(offset_in(folder, archive, "second.txt"), archive.find("the second"));
}

}  // namespace
}  // namespace rhyton::io
