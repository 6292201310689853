#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/framework/io/gzip.h>
#include <rhyton/tests/framework/io/temporary_folder.h>

namespace rhyton::io {
namespace {

using test::message_of;
using test::to_bytes;
using test::to_text;
using ::testing::AllOf;
using ::testing::HasSubstr;

std::string long_text() {
  std::string text;
  for (int number = 0; number < 100000; ++number) {
    text += std::to_string(number * 7919 % 10007);
  }
  return text;
}

TEST(Gzip, UnpacksWhatItPacked) {
  for (const std::string& text : {std::string(), std::string("a"), std::string(1 << 20, 'x'), long_text()}) {
    for (const int level : {0, 1, 6, 9}) {
      const auto packed = gzip_compress(to_bytes(text), level);
      EXPECT_TRUE(is_gzip(packed));
      EXPECT_EQ(to_text(gzip_decompress(packed, "x.gz")), text);
    }
  }
  EXPECT_EQ(gzip_compress(to_bytes("abc")), gzip_compress(to_bytes("abc")));
  EXPECT_THROW(gzip_compress({}, 10), ValueError);
  EXPECT_THROW(gzip_compress({}, -1), ValueError);
}

TEST(Gzip, UnpacksMembersAndPadding) {
  auto packed = gzip_compress(to_bytes("first "));
  const auto second = gzip_compress(to_bytes(long_text()));
  packed.insert(packed.end(), second.begin(), second.end());
  EXPECT_EQ(to_text(gzip_decompress(packed, "x.gz")), "first " + long_text());
  packed.resize(packed.size() + 100);
  EXPECT_EQ(to_text(gzip_decompress(packed, "x.gz")), "first " + long_text());
  packed.push_back(std::byte{1});
  EXPECT_THAT(message_of<IOError>([&] { gzip_decompress(packed, "x.gz"); }), HasSubstr("followed by 101 other bytes"));
}

TEST(Gzip, RefusesEveryTruncation) {
  const auto packed = gzip_compress(to_bytes("some text, some text, some more text"));
  for (std::size_t size = 2; size < packed.size(); ++size) {
    EXPECT_THAT(message_of<IOError>([&] { gzip_decompress(std::span(packed).first(size), "cut.gz"); }),
                AllOf(HasSubstr("\"cut.gz\""), HasSubstr("cut short")))
        << size;
  }
}

TEST(Gzip, RefusesDamage) {
  const auto packed = gzip_compress(to_bytes(long_text()));
  auto wrong_checksum = packed;
  wrong_checksum[packed.size() - 8] ^= std::byte{1};
  EXPECT_THAT(message_of<IOError>([&] { gzip_decompress(wrong_checksum, "bad.gz"); }),
              AllOf(HasSubstr("\"bad.gz\" is damaged"), HasSubstr("incorrect data check")));
  auto wrong_length = packed;
  wrong_length[packed.size() - 1] ^= std::byte{0x40};
  EXPECT_THAT(message_of<IOError>([&] { gzip_decompress(wrong_length, "bad.gz"); }),
              HasSubstr("incorrect length check"));
  auto wrong_content = packed;
  wrong_content[packed.size() / 2] ^= std::byte{0xff};
  EXPECT_THROW(gzip_decompress(wrong_content, "bad.gz"), IOError);
  EXPECT_THROW(gzip_decompress(to_bytes("plain text"), "plain"), IOError);
  EXPECT_THROW(gzip_decompress({}, "empty"), IOError);
}

TEST(Gzip, RefusesBombs) {
  const auto packed = gzip_compress(std::vector<std::byte>(1 << 20));
  EXPECT_EQ(gzip_decompress(packed, "x.gz", 1 << 20).size(), std::size_t{1} << 20);
  EXPECT_THROW(gzip_decompress(packed, "x.gz", (1 << 20) - 1), ResourceExhaustedError);
  EXPECT_THROW(gzip_decompress(packed, "x.gz", 0), ResourceExhaustedError);
}

}  // namespace
}  // namespace rhyton::io
