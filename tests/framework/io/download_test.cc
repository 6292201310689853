#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/framework/io/checksum.h>
#include <rhyton/framework/io/download.h>
#include <rhyton/tests/framework/io/temporary_folder.h>

namespace rhyton::io {
namespace {

using test::content_of;
using test::message_of;
using test::put;
using test::TemporaryFolder;
using test::to_bytes;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

class Download : public ::testing::Test {
 protected:
  std::string url(const std::string& name) const { return "file://" + (folder_ / name).string(); }

  TemporaryFolder folder_;
};

TEST_F(Download, FetchesFromTheFirstMirrorThatHasIt) {
  put(folder_ / "source", "content");
  download({url("none"), url("source")}, folder_ / "target",
           {.sha256 = checksum(ChecksumKind::sha256, to_bytes("content"))});
  EXPECT_EQ(content_of(folder_ / "target"), "content");
  EXPECT_THAT(folder_.names(), UnorderedElementsAre("source", "target"));
}

TEST_F(Download, ShowsProgressOnlyWhenAsked) {
  put(folder_ / "source", std::string(200000, 'x'));
  std::ostringstream output;
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  download({url("source")}, folder_ / "target", {.progress = &output});
  download({url("source")}, folder_ / "target");
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  EXPECT_THAT(output.str(), HasSubstr("Downloading data from " + url("source") + "\n"));
  EXPECT_THAT(output.str(), HasSubstr("200000/200000"));
  EXPECT_EQ(output.str().back(), '\n');
}

TEST_F(Download, RefusesAWrongChecksumAndTriesTheNextMirror) {
  put(folder_ / "wrong", "damaged");
  put(folder_ / "right", "content");
  const std::string expected = checksum(ChecksumKind::sha256, to_bytes("content"));
  const std::string message = message_of<IOError>([&] {
    download({url("wrong"), url("none")}, folder_ / "target", {.sha256 = expected});
  });
  EXPECT_THAT(message,
              AllOf(HasSubstr("\"" + (folder_ / "target").string() + "\""), HasSubstr(url("wrong")),
                    HasSubstr("expected " + expected),
                    HasSubstr("found " + checksum(ChecksumKind::sha256, to_bytes("damaged"))), HasSubstr(url("none"))));
  EXPECT_THAT(folder_.names(), UnorderedElementsAre("wrong", "right"));
  download({url("wrong"), url("right")}, folder_ / "target", {.sha256 = expected});
  EXPECT_EQ(content_of(folder_ / "target"), "content");
}

TEST_F(Download, AlsoComparesMd5Checksums) {
  put(folder_ / "source", "abc");
  download({url("source")}, folder_ / "target", {.md5 = "900150983CD24FB0D6963F7D28E17F72"});
  EXPECT_EQ(content_of(folder_ / "target"), "abc");
  EXPECT_THAT(message_of<IOError>(
                  [&] { download({url("source")}, folder_ / "other", {.md5 = "d41d8cd98f00b204e9800998ecf8427e"}); }),
              HasSubstr("wrong MD5 checksum: expected d41d8cd98f00b204e9800998ecf8427e, found "
                        "900150983cd24fb0d6963f7d28e17f72 (3 bytes)"));
  EXPECT_THAT(folder_.names(), UnorderedElementsAre("source", "target"));
}

TEST_F(Download, KeepsTheOldFileOnFailure) {
  put(folder_ / "target", "old");
  put(folder_ / "source", std::string(1000, 'x'));
  EXPECT_THAT(message_of<IOError>([&] { download({url("source")}, folder_ / "target", {.size_limit = 999}); }),
              HasSubstr("limit of 999 bytes"));
  EXPECT_EQ(content_of(folder_ / "target"), "old");
  EXPECT_THAT(folder_.names(), UnorderedElementsAre("source", "target"));
}

TEST_F(Download, RefusesOtherProtocolsAndBadPlaces) {
  put(folder_ / "source", "x");
  EXPECT_THROW(download({"ftp://localhost/x"}, folder_ / "target"), IOError);
  EXPECT_THROW(download({"no address"}, folder_ / "target"), IOError);
  EXPECT_THROW(download({}, folder_ / "target"), ValueError);
  EXPECT_THROW(download({url("source")}, folder_ / "none/target"), IOError);
  EXPECT_THAT(folder_.names(), ElementsAre("source"));
}

}  // namespace
}  // namespace rhyton::io
