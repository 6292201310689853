#include <rhyton/framework/io/record_writer.h>

#include <span>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include <rhyton/framework/error.h>
#include <rhyton/framework/io/crc32c.h>
#include <rhyton/tests/framework/io/temporary_folder.h>
#include <rhyton/tests/support/file_size_limit.h>

namespace rhyton::io {
namespace {

using test::content_of;
using test::TemporaryFolder;

std::uint32_t crc32c_of(std::string_view text) { return crc32c(std::as_bytes(std::span(text))); }

TEST(Crc32c, OfThePublishedExamples) {
  EXPECT_EQ(crc32c_of(""), 0U);
  EXPECT_EQ(crc32c_of("123456789"), 0xE3069283U);
  // RFC 3720, appendix B.4.
  EXPECT_EQ(crc32c_of(std::string(32, '\0')), 0x8A9136AAU);
  EXPECT_EQ(crc32c_of(std::string(32, '\xff')), 0x62A8AB43U);
}

TEST(RecordWriter, FramesRecordsAsTensorFlowDoes) {
  // Written by tf.io.TFRecordWriter.
  EXPECT_EQ(framed_record("abc"), std::string("\x03\0\0\0\0\0\0\0\xb0\x99I\x0e"
                                              "abcnW\xf1!",
                                              19));
}

TEST(RecordWriter, AppendsRecords) {
  const TemporaryFolder folder;
  RecordWriter writer(folder.path() / "records");
  writer.write("abc");
  writer.write("");
  writer.flush();
  EXPECT_EQ(content_of(writer.path()), framed_record("abc") + framed_record(""));
  writer.write("d");
  writer.close();
  EXPECT_EQ(content_of(writer.path()), framed_record("abc") + framed_record("") + framed_record("d"));
  EXPECT_THROW(writer.write("e"), IOError);
}

TEST(RecordWriter, DoesNotReplaceFiles) {
  const TemporaryFolder folder;
  RecordWriter(folder.path() / "records").write("abc");
  EXPECT_THROW(RecordWriter(folder.path() / "records"), IOError);
  EXPECT_EQ(content_of(folder.path() / "records"), framed_record("abc"));
  EXPECT_THROW(RecordWriter(folder.path() / "missing" / "records"), IOError);
}

TEST(RecordWriter, ReportsAFullDisk) {
  const TemporaryFolder folder;
  RecordWriter writer(folder.path() / "records");
  const test::FileSizeLimit limit(1000);
  EXPECT_THROW(
      {
        for (int i = 0; i < 100; ++i) writer.write(std::string(1000, 'x'));
        writer.flush();
      },
      IOError);
}

}  // namespace
}  // namespace rhyton::io
