#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <zlib.h>

#include <rhyton/framework/io/atomic_file.h>
#include <rhyton/framework/io/image/image.h>
#include <rhyton/tests/framework/io/temporary_folder.h>

namespace rhyton::io {
namespace {

using test::message_of;
using test::to_bytes;
using ::testing::AllOf;
using ::testing::HasSubstr;

/// A picture with smooth colours.
Tensor picture(std::int64_t height, std::int64_t width, std::int64_t channels) {
  Tensor image = Tensor::uninitialized({height, width, channels}, DType::uint8);
  auto* to = image.mutable_data<std::uint8_t>();
  for (std::int64_t y = 0; y < height; ++y) {
    for (std::int64_t x = 0; x < width; ++x) {
      for (std::int64_t c = 0; c < channels; ++c) *to++ = static_cast<std::uint8_t>(5 * y + 3 * x + 40 * c);
    }
  }
  return image;
}

std::vector<std::uint8_t> levels(const Tensor& image) {
  return {image.elements<std::uint8_t>().begin(), image.elements<std::uint8_t>().end()};
}

/// The golden image files.
std::vector<std::filesystem::path> golden_files() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(RHYTON_GOLDEN_DIR) + "/images/formats")) {
    files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string big_endian(std::uint32_t value) {
  return {static_cast<char>(value >> 24), static_cast<char>(value >> 16), static_cast<char>(value >> 8),
          static_cast<char>(value)};
}

std::string chunk(const std::string& type, const std::string& content) {
  const std::string checked = type + content;
  const auto crc = crc32(0, reinterpret_cast<const Bytef*>(checked.data()), static_cast<uInt>(checked.size()));
  return big_endian(static_cast<std::uint32_t>(content.size())) + checked + big_endian(static_cast<std::uint32_t>(crc));
}

/// A grayscale PNG file with that size in its header and `rows`, uncompressed, as its pixels.
std::string png(std::uint32_t width, std::uint32_t height, const std::string& rows) {
  uLongf size = compressBound(static_cast<uLong>(rows.size()));
  std::string packed(size, '\0');
  compress(reinterpret_cast<Bytef*>(packed.data()), &size, reinterpret_cast<const Bytef*>(rows.data()),
           static_cast<uLong>(rows.size()));
  packed.resize(size);
  const std::string header = big_endian(width) + big_endian(height) + std::string("\x08\0\0\0\0", 5);
  return "\x89PNG\r\n\x1a\n" + chunk("IHDR", header) + chunk("IDAT", packed) + chunk("IEND", "");
}

TEST(Image, KnowsFormatsByTheirFirstBytes) {
  EXPECT_EQ(image_format(to_bytes("\x89PNG\r\n\x1a\n....")), ImageFormat::png);
  EXPECT_EQ(image_format(to_bytes("\xff\xd8\xff\xe0")), ImageFormat::jpeg);
  EXPECT_EQ(image_format(to_bytes("BM....")), ImageFormat::bmp);
  EXPECT_EQ(image_format(to_bytes("GIF89a")), ImageFormat::gif);
  EXPECT_EQ(image_format(to_bytes("GIF88a")), std::nullopt);
  EXPECT_EQ(image_format({}), std::nullopt);
  EXPECT_EQ(name_of(ImageFormat::jpeg), "JPEG");
}

TEST(Image, WhatIsWrittenIsReadAgain) {
  for (const std::int64_t channels : {1, 3, 4}) {
    const Tensor image = picture(7, 9, channels);
    const Tensor png = decode_image(encode_image(image, ImageFormat::png), "x.png");
    EXPECT_EQ(png.shape(), image.shape());
    EXPECT_EQ(levels(png), levels(image));
  }
  const Tensor image = picture(7, 9, 3);
  EXPECT_EQ(levels(decode_image(encode_image(image, ImageFormat::bmp), "x.bmp")), levels(image));

  const Tensor smooth = picture(16, 16, 3);
  const Tensor jpeg = decode_image(encode_image(smooth, ImageFormat::jpeg, 100), "x.jpg");
  ASSERT_EQ(jpeg.shape(), smooth.shape());
  EXPECT_LT(encode_image(smooth, ImageFormat::jpeg, 10).size(), encode_image(smooth, ImageFormat::jpeg, 95).size());
}

TEST(Image, WritesOnlyImages) {
  EXPECT_THROW(encode_image(Tensor(), ImageFormat::png), ValueError);
  EXPECT_THROW(encode_image(Tensor::zeros({4, 4, 3}), ImageFormat::png), ValueError);
  EXPECT_THROW(encode_image(picture(4, 4, 2), ImageFormat::png), ValueError);
  EXPECT_THROW(encode_image(Tensor::zeros({0, 4, 3}, DType::uint8), ImageFormat::png), ValueError);
  EXPECT_THROW(encode_image(picture(4, 4, 3), ImageFormat::gif), ValueError);
  EXPECT_THROW(encode_image(picture(4, 4, 3), ImageFormat::jpeg, 0), ValueError);
  EXPECT_THROW(encode_image(picture(4, 4, 3), ImageFormat::jpeg, 101), ValueError);
}

TEST(Image, OfAJpegTheLuminanceCanBeReadAlone) {
  const std::string folder = std::string(RHYTON_GOLDEN_DIR) + "/images/formats/";
  EXPECT_EQ(decode_luminance(read_file(folder + "rgb.jpg"), "rgb.jpg").shape(), Shape({23, 31, 1}));
  EXPECT_EQ(decode_luminance(read_file(folder + "grey.jpg"), "grey.jpg").shape(), Shape({20, 17, 1}));
  EXPECT_EQ(decode_luminance(read_file(folder + "rgb.png"), "rgb.png").shape(), Shape({23, 31, 3}));
}

TEST(Image, SaysWhichFileIsNoImage) {
  EXPECT_EQ(message_of<IOError>([] { decode_image({}, "a.png"); }), "\"a.png\" is empty: expected an image");
  EXPECT_EQ(message_of<IOError>([] { decode_image(to_bytes("hello"), "a.png"); }),
            "\"a.png\" is not a supported image: expected a PNG, JPEG, BMP or GIF file");
  EXPECT_EQ(message_of<NotFoundError>([] { read_image("nowhere.png"); }), "no such file: \"nowhere.png\"");
  const test::TemporaryFolder folder;
  test::put(folder / "b.jpg", "\xff\xd8\xff");
  EXPECT_THAT(message_of<IOError>([&] { read_image(folder / "b.jpg"); }),
              AllOf(HasSubstr((folder / "b.jpg").string()), HasSubstr("is cut short")));
}

TEST(Image, AFileThatIsCutShortAnywhereIsAnError) {
  for (const std::filesystem::path& path : golden_files()) {
    SCOPED_TRACE(path);
    const std::vector<std::byte> bytes = read_file(path);
    EXPECT_NO_THROW(decode_image(bytes, "whole"));
    // Data after the first frame of a GIF, or after the pixels of a BMP, are ignored.
    const bool ends_early = path.extension() == ".gif" || path.extension() == ".bmp";
    const std::size_t needed = path.filename() == "animated.gif" ? bytes.size() / 4 : bytes.size() - 1;
    for (std::size_t size = 0; size < (ends_early ? needed : bytes.size()); ++size) {
      const std::string message = message_of<IOError>([&] { decode_image(std::span(bytes).first(size), "cut"); });
      ASSERT_THAT(message, HasSubstr("\"cut\"")) << size << " of " << bytes.size();
    }
  }
}

TEST(Image, AChangedByteOfAPngIsAlwaysFound) {
  const std::vector<std::byte> bytes = read_file(std::string(RHYTON_GOLDEN_DIR) + "/images/formats/rgb.png");
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::vector<std::byte> damaged = bytes;
    damaged[i] ^= std::byte{0x10};
    ASSERT_THAT(message_of<IOError>([&] { decode_image(damaged, "damaged"); }), HasSubstr("\"damaged\"")) << i;
  }
}

TEST(Image, ChangedBytesDoNoHarm) {
  std::mt19937 random(1);
  for (const std::filesystem::path& path : golden_files()) {
    const std::vector<std::byte> bytes = read_file(path);
    for (int round = 0; round < 400; ++round) {
      std::vector<std::byte> damaged = bytes;
      for (int i = 0; i < 1 + round % 4; ++i) damaged[random() % damaged.size()] = static_cast<std::byte>(random());
      try {
        const Tensor image = decode_image(damaged, "damaged", {.pixels = 1 << 16});
        EXPECT_LE(image.shape()[0] * image.shape()[1], 1 << 16);
      } catch (const Error& error) {
        ASSERT_THAT(error.what(), HasSubstr("\"damaged\"")) << path << " " << round;
      }
    }
  }
}

TEST(Image, RefusesByTheHeaderWhatIsTooLarge) {
  const std::vector<std::byte> bytes = encode_image(picture(20, 30, 1), ImageFormat::png);
  EXPECT_NO_THROW(decode_image(bytes, "x", {.side = 30, .pixels = 600}));
  EXPECT_THAT(message_of<ResourceExhaustedError>([&] { decode_image(bytes, "x", {.side = 29}); }),
              AllOf(HasSubstr("\"x\" has 30 × 20 pixels"), HasSubstr("29 on a side")));
  EXPECT_THROW(decode_image(bytes, "x", {.pixels = 599}), ResourceExhaustedError);
  EXPECT_THAT(message_of<ResourceExhaustedError>([&] { decode_image(bytes, "x", {.bytes = bytes.size() - 1}); }),
              HasSubstr("more than the limit of"));
}

TEST(Image, AHeaderAlonePromisesNothing) {
  // The maximum number of pixels, with far too few bytes for them.
  EXPECT_THAT(message_of<IOError>([] { decode_image(to_bytes(png(13000, 13000, "none")), "huge.png"); }),
              AllOf(HasSubstr("\"huge.png\""), HasSubstr("its header has 13000 × 13000 pixels")));
  std::vector<std::byte> jpeg = read_file(std::string(RHYTON_GOLDEN_DIR) + "/images/formats/rgb.jpg");
  const std::vector<std::byte> frame = to_bytes("\xff\xc0");
  const auto at = std::search(jpeg.begin(), jpeg.end(), frame.begin(), frame.end());
  ASSERT_NE(at, jpeg.end());
  std::fill(at + 5, at + 9, std::byte{0x30});
  EXPECT_THAT(message_of<IOError>([&] { decode_image(jpeg, "huge.jpg"); }),
              AllOf(HasSubstr("\"huge.jpg\""), HasSubstr("its header has 12336 × 12336 pixels")));
  // Beyond every limit.
  EXPECT_THROW(decode_image(to_bytes(png(0x7fffffff, 0x7fffffff, "none")), "x"), Error);
}

TEST(Image, MoreContentThanPixelsTakesNoMemory) {
  // 64 MiB of rows after a header of 8 × 8 pixels.
  const std::string bomb = png(8, 8, std::string(std::size_t{64} << 20, '\0'));
  EXPECT_LT(bomb.size(), 100000);
  EXPECT_THAT(message_of<ResourceExhaustedError>([&] { decode_image(to_bytes(bomb), "bomb.png"); }),
              HasSubstr("\"bomb.png\" takes more memory"));
}

TEST(Image, TablesThatDecodersTripOver) {
  const std::vector<std::byte> jpeg = read_file(std::string(RHYTON_GOLDEN_DIR) + "/images/formats/rgb.jpg");
  const auto at_marker = [&](const char* marker) {
    const std::vector<std::byte> found = to_bytes(marker);
    return std::search(jpeg.begin(), jpeg.end(), found.begin(), found.end()) - jpeg.begin();
  };
  // 16 × 255 Huffman codes.
  std::vector<std::byte> tables = jpeg;
  std::fill_n(tables.begin() + at_marker("\xff\xc4") + 5, 16, std::byte{0xff});
  EXPECT_THAT(message_of<IOError>([&] { decode_image(tables, "x"); }), HasSubstr("more than 256 codes"));
  // Three samples of one component for two of another.
  std::vector<std::byte> sampling = jpeg;
  const auto components = at_marker("\xff\xc0") + 10;
  sampling[static_cast<std::size_t>(components + 1)] = std::byte{0x31};
  sampling[static_cast<std::size_t>(components + 4)] = std::byte{0x21};
  EXPECT_THAT(message_of<IOError>([&] { decode_image(sampling, "x"); }), HasSubstr("sampling factors"));
}

}  // namespace
}  // namespace rhyton::io
