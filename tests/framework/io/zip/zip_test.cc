#include <sys/resource.h>

#include <optional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/framework/io/atomic_file.h>
#include <rhyton/framework/io/zip/zip.h>
#include <rhyton/tests/framework/io/hand_made_zip.h>
#include <rhyton/tests/framework/io/temporary_folder.h>
#include <rhyton/tests/support/environment_variable.h>

namespace rhyton::io {
namespace {

using test::content_of;
using test::hand_made;
using test::HandMadeMember;
using test::little_endian;
using test::message_of;
using test::put;
using test::TemporaryFolder;
using test::to_bytes;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string refusal(const std::vector<HandMadeMember>& members) {
  const auto bytes = to_bytes(hand_made(members));
  return message_of<IOError>([&] { ZipReader(bytes, "bad.zip"); });
}

/// All bytes of a part of a file.
std::string text_of(const FilePart& part) {
  std::vector<std::byte> content(part.size());
  part.read(0, content);
  return test::to_text(content);
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
  EXPECT_THAT(content_of(folder / "a.zip"), HasSubstr(std::string(100000, 'x')));  // stored, not compressed

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

TEST(Zip, FindsWhereStoredMembersLie) {
  const TemporaryFolder folder;
  const std::string archive = hand_made({{.name = "stored", .content = "as it is"},
                                         {.name = "packed", .content = std::string(1000, 'x'), .deflated = true}});
  put(folder / "a.zip", archive);
  const ZipReader reader(folder / "a.zip");
  const std::optional<FilePart> part = reader.find_stored("stored");
  ASSERT_TRUE(part);
  EXPECT_EQ(text_of(*part), "as it is");
  EXPECT_FALSE(reader.find_stored("packed"));
  EXPECT_FALSE(reader.find_stored("absent"));

  const std::vector<std::byte> bytes = to_bytes(archive);
  EXPECT_FALSE(ZipReader(bytes, "memory").find_stored("stored"));
}

TEST(Zip, FindsNoDamagedStoredMember) {
  const TemporaryFolder folder;
  std::string archive = hand_made({{.name = "stored", .content = "as it is"}});
  archive[archive.find("as it is")] = 'A';
  put(folder / "a.zip", archive);
  ZipReader reader(folder / "a.zip");
  EXPECT_FALSE(reader.find_stored("stored"));
  EXPECT_THROW(reader.read("stored"), IOError);
}

TEST(Zip, ReadsMembersToAFileThatNobodySees) {
  const TemporaryFolder folder;
  const test::EnvironmentVariable place("TMPDIR", folder.path().string());
  std::string content;
  for (int i = 0; i < 200000; ++i) content += std::to_string(i);
  const std::vector<std::byte> archive = to_bytes(
      hand_made({{.name = "packed", .content = content, .deflated = true}, {.name = "stored", .content = "as it is"}}));
  ZipReader reader(archive, "memory");
  const std::optional<FilePart> packed = reader.read_to_file("packed");
  ASSERT_TRUE(packed);
  EXPECT_EQ(text_of(*packed), content);
  const std::optional<FilePart> stored = reader.read_to_file("stored");
  ASSERT_TRUE(stored);
  EXPECT_EQ(text_of(*stored), "as it is");
  EXPECT_THAT(folder.names(), IsEmpty());
  EXPECT_THROW(reader.read_to_file("absent"), NotFoundError);
}

TEST(Zip, ReadsToNoFileWhereThereIsNoRoom) {
  const TemporaryFolder folder;
  const std::vector<std::byte> archive =
      to_bytes(hand_made({{.name = "packed", .content = std::string(1 << 20, 'x'), .deflated = true}}));
  ZipReader reader(archive, "memory");
  {
    const test::EnvironmentVariable place("TMPDIR", (folder / "absent").string());
    EXPECT_FALSE(reader.read_to_file("packed"));
  }
  const test::EnvironmentVariable place("TMPDIR", folder.path().string());
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small{.rlim_cur = 1 << 16, .rlim_max = before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const std::optional<FilePart> file = reader.read_to_file("packed");  // and no SIGXFSZ
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  EXPECT_FALSE(file);
  EXPECT_THAT(folder.names(), IsEmpty());
}

TEST(Zip, ReadsNoDamagedMemberToAFile) {
  std::string archive = hand_made({{.name = "packed", .content = std::string(100000, 'x'), .deflated = true}});
  const std::size_t checksum = 14;  // of the first member; the directory has it again
  for (const std::size_t header : {std::size_t{0}, archive.rfind("PK\x01\x02") + 2}) archive[header + checksum] ^= 1;
  const std::vector<std::byte> bytes = to_bytes(archive);
  ZipReader reader(bytes, "memory");
  EXPECT_THAT(message_of<IOError>([&] { reader.read_to_file("packed"); }),
              HasSubstr("member \"packed\" of \"memory\" cannot be read: "));
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
  EXPECT_THAT(refusal({{"a", "x"}, {"a", "y"}}), HasSubstr("File already exists"));
}

TEST(Zip, RefusesBombs) {
  const std::uint64_t claim = 2000000000;
  std::string content;
  content.resize(20'000'000, 'x');
  EXPECT_THAT(refusal({{"a", content, claim, true}}), HasSubstr("cannot unpack to 2000000000 bytes from"));
  EXPECT_THAT(refusal({{"a", "x", UINT32_MAX - 1, false}}), HasSubstr("bad.zip"));
  // Much more than the floor allows, and than deflate can achieve, in as many members as necessary.
  std::vector<HandMadeMember> members;
  for (int index = 0; index < 22; ++index) {
    members.push_back({"member" + std::to_string(index), std::string(200000, 'x'), 200000000, false, 0, 8});
  }
  EXPECT_THAT(refusal(members), HasSubstr("would unpack to more than 4294967296 bytes"));
}

/// An archive whose members each contain all that follow: header and content of the next, of the one after it, ….
std::string nested_in_each_other(int count) {
  std::string content(100000, 'x');
  std::string text;
  std::string directory;
  std::vector<std::string> headers;
  std::vector<std::string> shared;
  for (int index = count; index-- > 0;) {
    const std::string name(1, static_cast<char>('a' + index));
    const auto checksum = crc32(0, reinterpret_cast<const Bytef*>(content.data()), static_cast<uInt>(content.size()));
    shared.insert(shared.begin(), little_endian(20, 2) + little_endian(0, 8) + little_endian(checksum, 4) +
                                      little_endian(content.size(), 4) + little_endian(content.size(), 4) +
                                      little_endian(1, 2) + little_endian(0, 2));
    content = "PK\x03\x04" + shared.front() + name + content;
  }
  for (int index = 0; index < count; ++index) {
    constexpr std::size_t header_bytes = 31;
    directory += "PK\x01\x02" + little_endian(20, 2) + shared[static_cast<std::size_t>(index)] + little_endian(0, 10) +
                 little_endian(static_cast<std::size_t>(index) * header_bytes, 4) + static_cast<char>('a' + index);
  }
  return content + directory + "PK\x05\x06" + little_endian(0, 4) + little_endian(static_cast<unsigned>(count), 2) +
         little_endian(static_cast<unsigned>(count), 2) + little_endian(directory.size(), 4) +
         little_endian(content.size(), 4) + little_endian(0, 2);
}

TEST(Zip, RefusesMembersThatShareTheirBytes) {
  const auto one = to_bytes(nested_in_each_other(1));
  EXPECT_EQ(ZipReader(one, "one.zip").read_text("a"), std::string(100000, 'x'));
  const auto nested = to_bytes(nested_in_each_other(20));
  EXPECT_THAT(message_of<IOError>([&] { ZipReader(nested, "bad.zip"); }), HasSubstr("bad.zip"));
}

TEST(Zip, RefusesWhatContradictsItself) {
  const std::string sound = hand_made({{"a", "some text"}, {"b", "more"}});
  const auto open = [](const std::string& archive) {
    const auto bytes = to_bytes(archive);
    ZipReader(bytes, "bad.zip");
  };
  EXPECT_NO_THROW(open(sound));
  constexpr std::size_t size_at = 22;
  constexpr std::size_t name_at = 30;
  std::string other_name = sound;
  other_name[name_at] = 'c';
  EXPECT_THROW(open(other_name), IOError);
  std::string other_size = sound;
  other_size[size_at] = 5;
  EXPECT_THROW(open(other_size), IOError);
  std::string other_place = sound;  // the second entry points into the first member
  other_place[sound.rfind("PK\x01\x02") + 42] = 3;
  EXPECT_THROW(open(other_place), IOError);
}

TEST(Zip, RefusesFalseNumbersOfMembers) {
  const std::string sound = hand_made({{"a", "some text"}});
  const std::size_t end = sound.rfind("PK\x05\x06");
  const auto open = [](const std::string& archive) {
    const auto bytes = to_bytes(archive);
    ZipReader(bytes, "bad.zip");
  };
  std::string many = sound;
  many.replace(end + 8, 4, little_endian(60000, 2) + little_endian(60000, 2));
  EXPECT_THROW(open(many), IOError);
  // The record of 64-bit archives, with more members than possible, or beyond the file.
  for (const std::uint64_t record : {std::uint64_t{end}, std::uint64_t{1} << 40, UINT64_MAX}) {
    std::string archive = sound.substr(0, end);
    archive += "PK\x06\x06" + little_endian(44, 8) + little_endian(45, 2) + little_endian(45, 2) + little_endian(0, 8) +
               little_endian(std::uint64_t{1} << 40, 8) + little_endian(std::uint64_t{1} << 40, 8) +
               little_endian(std::uint64_t{1} << 46, 8) + little_endian(0, 8);
    archive += "PK\x06\x07" + little_endian(0, 4) + little_endian(record, 8) + little_endian(1, 4);
    archive += "PK\x05\x06" + little_endian(0, 4) + little_endian(0xffff, 2) + little_endian(0xffff, 2) +
               little_endian(0xffffffff, 4) + little_endian(0xffffffff, 4) + little_endian(0, 2);
    EXPECT_THROW(open(archive), IOError) << record;
  }
}

TEST(Zip, RefusesEncryptedMembersAndOtherPackers) {
  EXPECT_THAT(refusal({{"a", "some text", UINT64_MAX, false, 1}}), HasSubstr("\"a\" is encrypted"));
  for (const unsigned method : {12U, 14U, 93U, 95U}) {
    const auto bytes = to_bytes(hand_made({{"a", "some text", UINT64_MAX, false, 0, method}, {"b", "sound"}}));
    ZipReader reader(bytes, "odd.zip");
    EXPECT_THAT(message_of<IOError>([&] { reader.read("a"); }), HasSubstr("method " + std::to_string(method)));
    EXPECT_EQ(reader.read_text("b"), "sound");
  }
}

TEST(Zip, RefusesWrongSizesAndChecksums) {
  const auto read = [](const std::string& archive) {
    const auto bytes = to_bytes(archive);
    return message_of<IOError>([&] { ZipReader(bytes, "bad.zip").read("a"); });
  };
  EXPECT_THAT(read(hand_made({{"a", std::string(5000, 'x'), 9000, true}})), HasSubstr("\"a\""));
  EXPECT_THAT(read(hand_made({{"a", std::string(5000, 'x'), 100, true}})), HasSubstr("\"a\" of \"bad.zip\""));
  EXPECT_THAT(read(hand_made({{"a", "text", 1000000000, false}})), HasSubstr("\"bad.zip\" is not a valid zip archive"));
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
