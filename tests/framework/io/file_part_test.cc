#include <sys/stat.h>
#include <zlib.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/framework/io/file_part.h>
#include <rhyton/tests/framework/io/temporary_folder.h>

namespace rhyton::io {
namespace {

using test::message_of;
using test::put;
using test::TemporaryFolder;
using test::to_text;
using ::testing::AllOf;
using ::testing::HasSubstr;

std::string read(const FilePart& part, std::uint64_t offset, std::size_t count) {
  std::vector<std::byte> bytes(count);
  part.read(offset, bytes);
  return to_text(bytes);
}

std::uint32_t crc(const std::string& text) {
  return static_cast<std::uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(text.data()), text.size()));
}

TEST(FilePartTest, TheWholeFile) {
  const TemporaryFolder folder;
  put(folder / "letters", "abcdefgh");
  const FilePart file = FilePart::whole(folder / "letters");
  EXPECT_EQ(file.size(), 8U);
  EXPECT_EQ(read(file, 0, 8), "abcdefgh");
  EXPECT_EQ(read(file, 5, 3), "fgh");
  EXPECT_EQ(read(file, 8, 0), "");
}

TEST(FilePartTest, PartsOfParts) {
  const TemporaryFolder folder;
  put(folder / "letters", "abcdefgh");
  const FilePart part = FilePart::whole(folder / "letters").part(1, 6);
  EXPECT_EQ(part.size(), 6U);
  EXPECT_EQ(read(part, 0, 6), "bcdefg");
  EXPECT_EQ(read(part.part(2, 3), 1, 2), "ef");
  EXPECT_EQ(part.part(6, 0).size(), 0U);
}

TEST(FilePartTest, PartsThatAreNotThere) {
  const TemporaryFolder folder;
  put(folder / "letters", "abcdefgh");
  const FilePart part = FilePart::whole(folder / "letters").part(2, 4);
  EXPECT_THAT(message_of<ValueError>([&] { part.part(3, 2); }),
              AllOf(HasSubstr("letters"), HasSubstr("has no 2 bytes from 3 on")));
  EXPECT_THROW(part.part(5, 0), ValueError);
  EXPECT_THROW(part.part(1, UINT64_MAX), ValueError) << "their sum is small";
}

TEST(FilePartTest, ReadingBeyondThePartThoughTheFileGoesOn) {
  const TemporaryFolder folder;
  put(folder / "letters", "abcdefgh");
  const FilePart part = FilePart::whole(folder / "letters").part(2, 4);
  EXPECT_THAT(message_of<IOError>([&] { read(part, 1, 4); }),
              AllOf(HasSubstr("letters"), HasSubstr("ends before byte 5 of a part of 4")));
  EXPECT_THROW(read(part, UINT64_MAX, 2), IOError);
}

TEST(FilePartTest, AFileThatBecomesShorter) {
  const TemporaryFolder folder;
  put(folder / "letters", "abcdefgh");
  const FilePart file = FilePart::whole(folder / "letters");
  std::filesystem::resize_file(folder / "letters", 3);
  EXPECT_EQ(read(file, 0, 3), "abc");
  EXPECT_THAT(message_of<IOError>([&] { read(file, 0, 4); }), HasSubstr("became shorter"));
}

TEST(FilePartTest, AFileThatLosesItsName) {
  const TemporaryFolder folder;
  put(folder / "letters", "abcdefgh");
  const FilePart file = FilePart::whole(folder / "letters");
  put(folder / "other", "zzzzzzzz");
  std::filesystem::rename(folder / "other", folder / "letters");
  EXPECT_EQ(read(file, 0, 8), "abcdefgh");
}

TEST(FilePartTest, Checksums) {
  const TemporaryFolder folder;
  std::string text;
  for (int i = 0; i < 100000; ++i) text += std::to_string(i);  // several pieces
  put(folder / "numbers", text);
  const FilePart file = FilePart::whole(folder / "numbers");
  EXPECT_EQ(file.checksum(), crc(text));
  EXPECT_EQ(file.part(7, 300001).checksum(), crc(text.substr(7, 300001)));
  EXPECT_EQ(file.part(7, 0).checksum(), 0U);
}

TEST(FilePartTest, WhatIsNoFile) {
  const TemporaryFolder folder;
  EXPECT_THAT(message_of<NotFoundError>([&] { FilePart::whole(folder / "nothing"); }), HasSubstr("nothing"));
  EXPECT_THAT(message_of<IOError>([&] { FilePart::whole(folder.path()); }), HasSubstr("not a regular file"));
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_THAT(message_of<IOError>([&] { FilePart::whole(folder / "pipe"); }), HasSubstr("not a regular file"))
      << "it does not wait for a writer";
}

}  // namespace
}  // namespace rhyton::io
