#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <rhyton/framework/io/atomic_file.h>
#include <rhyton/framework/io/zip.h>
#include <rhyton/tests/framework/io/temporary_folder.h>

namespace rhyton::io {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using tests::content_of;
using tests::message_of;
using tests::put;
using tests::TemporaryFolder;
using tests::to_bytes;

std::string little_endian(std::uint64_t value, int bytes) {
  std::string text;
  for (; bytes > 0; --bytes, value >>= 8) {
    text += static_cast<char>(value & 0xff);
  }
  return text;
}

struct HandMadeMember {
  std::string name;
  std::string content;
  /// What the archive claims, where it differs.
  std::uint64_t claimed_size = UINT64_MAX;
  bool deflated = false;
};

std::string deflate_raw(const std::string& content) {
  z_stream stream{};
  deflateInit2(&stream, 9, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY);
  std::string packed(deflateBound(&stream, content.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
  stream.avail_in = static_cast<uInt>(content.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

/// An archive that a sound writer would not write.
std::string hand_made(const std::vector<HandMadeMember>& members) {
  std::string text;
  std::string directory;
  for (const HandMadeMember& member : members) {
    const std::string data = member.deflated ? deflate_raw(member.content) : member.content;
    const std::uint64_t size = member.claimed_size == UINT64_MAX ? member.content.size() : member.claimed_size;
    const std::uint64_t packed_size = member.deflated ? data.size() : size;
    const auto checksum =
        crc32(0, reinterpret_cast<const Bytef*>(member.content.data()), static_cast<uInt>(member.content.size()));
    const std::string shared = little_endian(20, 2) + little_endian(0, 2) + little_endian(member.deflated ? 8 : 0, 2) +
                               little_endian(0, 4) + little_endian(checksum, 4) + little_endian(packed_size, 4) +
                               little_endian(size, 4) + little_endian(member.name.size(), 2) + little_endian(0, 2);
    directory += "PK\x01\x02" + little_endian(20, 2) + shared + little_endian(0, 10);
    directory += little_endian(text.size(), 4) + member.name;
    text += "PK\x03\x04" + shared;
    text += member.name + data;
  }
  return text + directory + "PK\x05\x06" + little_endian(0, 4) + little_endian(members.size(), 2) +
         little_endian(members.size(), 2) + little_endian(directory.size(), 4) + little_endian(text.size(), 4) +
         little_endian(0, 2);
}

std::string refusal(const std::vector<HandMadeMember>& members) {
  const auto bytes = to_bytes(hand_made(members));
  return message_of<IOError>([&] { ZipReader(bytes, "bad.zip"); });
}

TEST(Zip, ReadsWhatItWrote) {
  const TemporaryFolder folder;
  ZipWriter writer(folder / "a.zip");
  writer.add_stored("metadata.json", "{}");
  writer.add_stored("deep/er/data.bin", to_bytes(std::string(100000, 'x')));
  writer.add_stored("empty", "");
  EXPECT_FALSE(std::filesystem::exists(folder / "a.zip"));
  writer.commit();
  EXPECT_THAT(folder.names(), ElementsAre("a.zip"));
  EXPECT_THROW(writer.commit(), RuntimeError);
  EXPECT_THAT(content_of(folder / "a.zip"), HasSubstr(std::string(100000, 'x')));  // stored, not packed

  const std::vector<std::byte> bytes = read_file(folder / "a.zip");
  for (const bool from_memory : {false, true}) {
    ZipReader reader = from_memory ? ZipReader(bytes, "memory") : ZipReader(folder / "a.zip");
    ASSERT_EQ(reader.members().size(), 3U);
    EXPECT_EQ(reader.members()[1].name, "deep/er/data.bin");
    EXPECT_EQ(reader.members()[1].size, 100000U);
    EXPECT_TRUE(reader.contains("metadata.json"));
    EXPECT_FALSE(reader.contains("config.json"));
    EXPECT_EQ(reader.read_text("metadata.json"), "{}");
    EXPECT_EQ(reader.read_text("deep/er/data.bin"), std::string(100000, 'x'));
    EXPECT_EQ(reader.read_text("empty"), "");
    EXPECT_THROW(reader.read("config.json"), NotFoundError);
    EXPECT_THROW(reader.read("deep/er/data.bin", 99999), ResourceExhaustedError);
    EXPECT_NO_THROW(reader.read("deep/er/data.bin", 100000));
  }
}

TEST(Zip, LeavesNothingWithoutCommit) {
  const TemporaryFolder folder;
  {
    ZipWriter writer(folder / "a.zip");
    writer.add_stored("x", "x");
  }
  EXPECT_THAT(folder.names(), IsEmpty());
  EXPECT_THROW(ZipWriter(folder / "none/a.zip"), IOError);
}

TEST(Zip, WritesAnEmptyArchive) {
  const TemporaryFolder folder;
  ZipWriter(folder / "a.zip").commit();
  EXPECT_THAT(ZipReader(folder / "a.zip").members(), IsEmpty());
}

TEST(Zip, WriterRefusesBadNames) {
  const TemporaryFolder folder;
  ZipWriter writer(folder / "a.zip");
  writer.add_stored("a", "1");
  EXPECT_THROW(writer.add_stored("a", "2"), ValueError);
  for (const std::string& name :
       {std::string(), std::string("/a"), std::string("../a"), std::string("a/../b"), std::string("folder/"),
        std::string("a\\..\\b"), std::string("C:\\a"), std::string("a\0b", 3)}) {
    EXPECT_THROW(writer.add_stored(name, "x"), ValueError) << name;
  }
  EXPECT_NO_THROW(writer.add_stored("a..b/..c", "x"));
}

TEST(Zip, ReadsDeflatedMembersAndLeavesFoldersOut) {
  const std::string text(5000, 'z');
  const auto bytes = to_bytes(hand_made({{"folder/", ""}, {"folder/a", text, UINT64_MAX, true}, {"b", "stored"}}));
  ZipReader reader(bytes, "x.zip");
  EXPECT_EQ(reader.members().size(), 2U);
  EXPECT_EQ(reader.read_text("folder/a"), text);
  EXPECT_EQ(reader.read_text("b"), "stored");
  EXPECT_FALSE(reader.contains("folder/"));
}

TEST(Zip, RefusesEvilNames) {
  EXPECT_THAT(refusal({{"/etc/passwd", "x"}}), AllOf(HasSubstr("bad.zip"), HasSubstr("is absolute")));
  EXPECT_THAT(refusal({{"a/../../b", "x"}}), HasSubstr("outside"));
  EXPECT_THAT(refusal({{"..\\b", "x"}}), HasSubstr("outside"));
  EXPECT_THAT(refusal({{"a", "x"}, {"a", "y"}}), HasSubstr("more than one member \"a\""));
}

TEST(Zip, RefusesBombs) {
  const std::uint64_t claim = 2000000000;
  EXPECT_THAT(refusal({{"a", "x", claim, true}, {"b", "x", claim, true}, {"c", "x", claim, true}}),
              HasSubstr("would unpack to more than"));
}

TEST(Zip, RefusesWrongSizesAndChecksums) {
  const auto read = [](const std::string& archive) {
    const auto bytes = to_bytes(archive);
    return message_of<IOError>([&] { ZipReader(bytes, "bad.zip").read("a"); });
  };
  EXPECT_THAT(read(hand_made({{"a", std::string(5000, 'x'), 9000, true}})), HasSubstr("\"a\""));
  EXPECT_NE(read(hand_made({{"a", std::string(5000, 'x'), 100, true}})), "");
  EXPECT_NE(read(hand_made({{"a", "text", 1000000000, false}})), "");
  std::string damaged = hand_made({{"a", "some text"}});
  damaged[damaged.find("some")] = 'S';
  EXPECT_THAT(read(damaged), AllOf(HasSubstr("\"a\" of \"bad.zip\""), HasSubstr("CRC")));
}

TEST(Zip, RefusesWhatIsNoArchive) {
  const TemporaryFolder folder;
  put(folder / "text.zip", "no archive at all");
  EXPECT_THAT(message_of<IOError>([&] { ZipReader(folder / "text.zip"); }), HasSubstr("text.zip"));
  EXPECT_THROW(ZipReader(folder / "none.zip"), NotFoundError);
  EXPECT_THROW(ZipReader(folder.path()), IOError);
  const std::string sound = hand_made({{"a", "some text"}, {"b", "more"}});
  for (std::size_t size = 0; size < sound.size(); ++size) {
    const auto bytes = to_bytes(sound.substr(0, size));
    EXPECT_THROW(ZipReader(bytes, "cut.zip"), IOError) << size;
  }
}

}  // namespace
}  // namespace rhyton::io
