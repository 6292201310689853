#include <sys/stat.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/framework/io/atomic_file.h>
#include <rhyton/tests/framework/io/temporary_folder.h>

namespace rhyton::io {
namespace {

using test::content_of;
using test::message_of;
using test::put;
using test::TemporaryFolder;
using test::to_text;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(AtomicFile, AppearsOnCommitOnly) {
  const TemporaryFolder folder;
  AtomicFile file(folder / "data.bin");
  file.write("hello ");
  file.write("world");
  EXPECT_FALSE(std::filesystem::exists(folder / "data.bin"));
  EXPECT_EQ(file.temporary_path().parent_path(), folder.path());
  file.commit();
  EXPECT_THAT(folder.names(), ElementsAre("data.bin"));
  EXPECT_EQ(content_of(folder / "data.bin"), "hello world");
  EXPECT_THROW(file.commit(), RuntimeError);
  EXPECT_THROW(file.write("more"), RuntimeError);
}

TEST(AtomicFile, LeavesNothingWithoutCommit) {
  const TemporaryFolder folder;
  { AtomicFile(folder / "new").write("half"); }
  EXPECT_THAT(folder.names(), IsEmpty());
  put(folder / "old", "as it was");
  { AtomicFile(folder / "old").write("half"); }
  EXPECT_THAT(folder.names(), ElementsAre("old"));
  EXPECT_EQ(content_of(folder / "old"), "as it was");
}

TEST(AtomicFile, ReplacesAndKeepsPermissions) {
  const TemporaryFolder folder;
  put(folder / "old", "as it was");
  ::chmod((folder / "old").c_str(), 0640);
  write_file(folder / "old", "new");
  struct stat status {};
  ASSERT_EQ(::stat((folder / "old").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0640U);
  EXPECT_EQ(content_of(folder / "old"), "new");
}

TEST(AtomicFile, WritesBehindSymbolicLinks) {
  const TemporaryFolder folder;
  put(folder / "real", "old");
  std::filesystem::create_symlink("real", folder / "link");
  write_file(folder / "link", "new");
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_EQ(content_of(folder / "real"), "new");
}

TEST(AtomicFile, TakesTheFileOfAnotherWriter) {
  const TemporaryFolder folder;
  AtomicFile file(folder / "data");
  std::filesystem::remove(file.temporary_path());
  put(file.temporary_path(), "from elsewhere");
  file.commit();
  EXPECT_EQ(content_of(folder / "data"), "from elsewhere");
}

TEST(AtomicFile, NamesTheFileItCannotWrite) {
  const TemporaryFolder folder;
  EXPECT_THAT(message_of<IOError>([&] { AtomicFile(folder / "missing/data"); }), HasSubstr("missing/data"));
  EXPECT_THAT(message_of<IOError>([&] { AtomicFile file(folder.path()); }), HasSubstr("folder"));
}

TEST(ReadFile, ReadsAndRefuses) {
  const TemporaryFolder folder;
  put(folder / "data", "12345");
  EXPECT_EQ(to_text(read_file(folder / "data")), "12345");
  EXPECT_NO_THROW(read_file(folder / "data", 5));
  EXPECT_THAT(message_of<ResourceExhaustedError>([&] { read_file(folder / "data", 4); }), HasSubstr("5 bytes"));
  EXPECT_THAT(message_of<NotFoundError>([&] { read_file(folder / "none"); }), HasSubstr("none"));
  EXPECT_THROW(read_file(folder.path()), IOError);
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_THROW(read_file(folder / "pipe"), IOError);
  put(folder / "empty", "");
  EXPECT_TRUE(read_file(folder / "empty").empty());
}

}  // namespace
}  // namespace rhyton::io
