#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/datasets/idx.h>
#include <rhyton/framework/io/gzip.h>
#include <rhyton/tests/datasets/idx_word.h>
#include <rhyton/tests/framework/io/temporary_folder.h>

namespace rhyton::datasets {
namespace {

using test::message_of;
using test::put;
using test::TemporaryFolder;
using test::to_bytes;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::string images = word(idx_images_magic) + word(2) + word(2) + word(3) + "abcdefghijkl";

TEST(Idx, ReadsPlainAndPackedFiles) {
  const TemporaryFolder folder;
  put(folder / "plain", images);
  put(folder / "packed", io::gzip_compress(to_bytes(images)));
  for (const char* name : {"plain", "packed"}) {
    const Tensor tensor = read_idx(folder / name, idx_images_magic);
    EXPECT_EQ(tensor.dtype(), uint8);
    EXPECT_EQ(tensor.shape(), (Shape{2, 2, 3}));
    EXPECT_EQ(tensor.elements<std::uint8_t>()[11], 'l');
  }
}

TEST(Idx, ReadsEveryType) {
  const auto parse = [](std::uint32_t magic, const std::string& data) {
    return parse_idx(to_bytes(word(magic) + word(1) + data), "x");
  };
  EXPECT_THAT(parse(0x901, "\xfe").to_vector(), ElementsAre(-2));
  EXPECT_EQ(parse(0x901, "\xfe").dtype(), int8);
  EXPECT_THAT(parse(0xb01, "\xff\xfe").to_vector(), ElementsAre(-2));
  EXPECT_THAT(parse(0xc01, word(70000)).to_vector(), ElementsAre(70000));
  EXPECT_THAT(parse(0xd01, word(0x3fc00000)).to_vector(), ElementsAre(1.5));
  EXPECT_THAT(parse(0xe01, word(0x40040000) + word(0)).to_vector(), ElementsAre(2.5));
}

TEST(Idx, RefusesAWrongMagicNumber) {
  const TemporaryFolder folder;
  put(folder / "labels", word(idx_labels_magic) + word(1) + "x");
  EXPECT_THAT(
      message_of<IOError>([&] { read_idx(folder / "labels", idx_images_magic); }),
      AllOf(HasSubstr((folder / "labels").string()), HasSubstr("expected 0x00000803"), HasSubstr("found 0x00000801")));
  EXPECT_THAT(message_of<IOError>([] { parse_idx(to_bytes("<html><body>"), "page"); }),
              AllOf(HasSubstr("\"page\""), HasSubstr("0x3c68746d")));
  EXPECT_THROW(parse_idx(to_bytes(word(0x800)), "x"), IOError);
  EXPECT_THROW(parse_idx(to_bytes(word(0x809)), "x"), IOError);
}

TEST(Idx, RefusesEveryWrongSize) {
  for (std::size_t size = 0; size < images.size(); ++size) {
    const std::string message =
        message_of<IOError>([&] { parse_idx(to_bytes(images.substr(0, size)), "cut", idx_images_magic); });
    EXPECT_THAT(message, AllOf(HasSubstr("\"cut\""), HasSubstr("expected"), HasSubstr("found"))) << size;
  }
  EXPECT_THAT(message_of<IOError>([] { parse_idx(to_bytes(images + "x"), "long"); }),
              HasSubstr("expected 12 bytes of data for shape (2, 2, 3), found 13"));
  EXPECT_THROW(parse_idx(to_bytes(word(0x804) + word(0xffffffff) + word(0xffffffff) + word(0xffffffff) + word(1)), "x"),
               IOError);
}

TEST(Idx, RefusesDamagedGzipAndMissingFiles) {
  const TemporaryFolder folder;
  auto packed = io::gzip_compress(to_bytes(images));
  packed[packed.size() - 6] ^= std::byte{1};
  put(folder / "damaged.gz", packed);
  EXPECT_THAT(message_of<IOError>([&] { read_idx(folder / "damaged.gz"); }),
              AllOf(HasSubstr("damaged.gz"), HasSubstr("is damaged")));
  packed.resize(packed.size() / 2);
  put(folder / "cut.gz", packed);
  EXPECT_THAT(message_of<IOError>([&] { read_idx(folder / "cut.gz"); }), HasSubstr("cut short"));
  EXPECT_THROW(read_idx(folder / "none"), NotFoundError);
}

}  // namespace
}  // namespace rhyton::datasets
