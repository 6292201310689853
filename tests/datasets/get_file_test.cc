// Files in the cache, from file:// URLs.

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/datasets/keras_names.h>
#include <rhyton/framework/error.h>
#include <rhyton/tests/framework/io/temporary_folder.h>
#include <rhyton/tests/support/message_of.h>

namespace rhyton::utils {
namespace {

using test::message_of;
using ::testing::HasSubstr;

/// Of "abc".
constexpr const char* sha256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
constexpr const char* md5 = "900150983cd24fb0d6963f7d28e17f72";

class GetFile : public ::testing::Test {
 protected:
  GetFile() { write("abc"); }

  void write(const std::string& content) const { std::ofstream(source()) << content; }
  std::filesystem::path source() const { return folder_.path() / "source.txt"; }
  std::string origin() const { return "file://" + source().string(); }
  std::string cache() const { return (folder_.path() / "cache").string(); }
  static std::string read(const std::string& path) {
    std::ifstream file(path);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
  }

  test::TemporaryFolder folder_;
};

TEST_F(GetFile, DownloadsOnce) {
  const std::string path = get_file(origin(), {.cache_dir = cache()});
  EXPECT_EQ(path, cache() + "/datasets/source.txt");
  EXPECT_EQ(read(path), "abc");
  write("abcd");
  EXPECT_EQ(read(get_file(origin(), {.cache_dir = cache()})), "abc");
  EXPECT_EQ(read(get_file(origin(), {.cache_dir = cache(), .force_download = true})), "abcd");
  EXPECT_EQ(get_file(origin(), {.fname = "other.txt", .cache_subdir = "texts", .cache_dir = cache()}),
            cache() + "/texts/other.txt");
}

TEST_F(GetFile, ChecksTheChecksum) {
  const datasets::GetFileOptions with_sha256 = {.file_hash = sha256, .cache_dir = cache()};
  const std::string path = get_file(origin(), with_sha256);
  EXPECT_EQ(read(get_file(origin(), {.file_hash = md5, .cache_dir = cache()})), "abc");
  std::ofstream(path) << "damaged";
  ::testing::internal::CaptureStdout();
  EXPECT_EQ(read(get_file(origin(), with_sha256)), "abc");
  EXPECT_THAT(::testing::internal::GetCapturedStdout(), HasSubstr("we will re-download the data"));
  write("abcd");
  EXPECT_THAT(message_of<IOError>(
                  [&] { get_file(origin(), {.file_hash = sha256, .cache_dir = cache(), .force_download = true}); }),
              HasSubstr(sha256));
}

TEST_F(GetFile, RefusesWrongArguments) {
  EXPECT_EQ(message_of<ValueError>([] { get_file(""); }),
            "Please specify the \"origin\" argument (URL of the file to download).");
  EXPECT_EQ(message_of<ValueError>([] { get_file("https://example.com/"); }),
            "Can't parse the file name from the origin provided: 'https://example.com/'. Please specify the `fname` "
            "argument.");
  EXPECT_THAT(message_of<ValueError>([&] { get_file(origin(), {.fname = "a/b"}); }),
              HasSubstr("Paths are no longer accepted as the `fname` argument."));
  EXPECT_THAT(message_of<ValueError>([&] { get_file(origin(), {.hash_algorithm = "sha1"}); }),
              HasSubstr("`hash_algorithm` must be one of"));
}

}  // namespace
}  // namespace rhyton::utils
