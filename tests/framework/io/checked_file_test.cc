#include <rhyton/framework/io/checked_file.h>

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/framework/error.h>
#include <rhyton/framework/io/hdf5/hdf5.h>
#include <rhyton/tests/framework/io/temporary_folder.h>

namespace rhyton::io {
namespace {

using test::content_of;
using test::message_of;
using test::put;
using test::TemporaryFolder;
using ::testing::HasSubstr;

TEST(CheckedFile, KnowsWhatItWas) {
  const TemporaryFolder folder;
  put(folder / "file", "what was written");
  EXPECT_FALSE(verify_checksum(folder / "file"));
  append_checksum(folder / "file", "file");
  EXPECT_TRUE(content_of(folder / "file").starts_with("what was written"));
  EXPECT_TRUE(verify_checksum(folder / "file"));
}

TEST(CheckedFile, NoBitOfTheContentCanChangeUnseen) {
  const TemporaryFolder folder;
  const std::string text = "every single bit of this";
  put(folder / "file", text);
  append_checksum(folder / "file", "file");
  const std::string whole = content_of(folder / "file");
  for (std::size_t bit = 0; bit < text.size() * 8; ++bit) {
    std::string damaged = whole;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    put(folder / "file", damaged);
    EXPECT_THROW(verify_checksum(folder / "file"), IOError) << bit;
  }
  std::string damaged = whole;
  damaged.back() = static_cast<char>(damaged.back() ^ 1);
  put(folder / "file", damaged);
  EXPECT_THAT(message_of<IOError>([&] { verify_checksum(folder / "file"); }),
              HasSubstr((folder / "file").string() + "\" is damaged: its checksum is "));
}

TEST(CheckedFile, ShortAndEmptyFilesHaveNone) {
  const TemporaryFolder folder;
  put(folder / "file", "");
  EXPECT_FALSE(verify_checksum(folder / "file"));
  append_checksum(folder / "file", "file");
  EXPECT_TRUE(verify_checksum(folder / "file"));
  put(folder / "file", "short");
  EXPECT_FALSE(verify_checksum(folder / "file"));
  EXPECT_THROW(verify_checksum(folder / "missing"), NotFoundError);
}

TEST(CheckedFile, Hdf5PassesOverIt) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder / "file.h5";
  Hdf5File file = Hdf5File::create(path);
  file.root().write_dataset("numbers", Tensor::from_data<float>({3}, {1, 2, 3}));
  file.commit_with_checksum();
  EXPECT_TRUE(verify_checksum(path));
  EXPECT_THAT(Hdf5File::open_read(path).root().read_dataset("numbers").to_vector(), testing::ElementsAre(1, 2, 3));
}

}  // namespace
}  // namespace rhyton::io
