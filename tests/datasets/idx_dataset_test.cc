#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/datasets/idx.h>
#include <rhyton/datasets/idx_dataset.h>
#include <rhyton/framework/io/checksum.h>
#include <rhyton/framework/io/gzip.h>
#include <rhyton/framework/io/npy.h>
#include <rhyton/tests/datasets/idx_word.h>
#include <rhyton/tests/framework/io/temporary_folder.h>
#include <rhyton/tests/support/environment_variable.h>

namespace rhyton::datasets {
namespace {

namespace fs = std::filesystem;
using test::content_of;
using test::EnvironmentVariable;
using test::message_of;
using test::put;
using test::TemporaryFolder;
using test::to_bytes;
using test::to_text;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;

constexpr std::size_t pixels = 28 * 28;
const std::vector<std::string> names = {"train-images-idx3-ubyte", "train-labels-idx1-ubyte", "t10k-images-idx3-ubyte",
                                        "t10k-labels-idx1-ubyte"};

/// The uncompressed content of the file of that index: 3 training samples, 2 test samples, every byte the same.
std::string content(std::size_t index, char byte) {
  const std::uint32_t count = index < 2 ? 3 : 2;
  return index % 2 == 0 ? word(idx_images_magic) + word(count) + word(28) + word(28) + std::string(count * pixels, byte)
                        : word(idx_labels_magic) + word(count) + std::string(count, byte);
}

std::vector<std::byte> packed(std::size_t index, char byte) {
  return io::gzip_compress(to_bytes(content(index, byte)));
}

void put_files(const fs::path& folder, char byte) {
  fs::create_directories(folder);
  for (std::size_t index = 0; index < names.size(); ++index) {
    put(folder / (names[index] + ".gz"), packed(index, byte));
  }
}

/// The byte of all images and labels.
int byte_of(const Splits& splits) {
  EXPECT_EQ(splits.train.images.shape(), (Shape{3, 28, 28}));
  EXPECT_EQ(splits.train.labels.shape(), (Shape{3}));
  EXPECT_EQ(splits.test.images.shape(), (Shape{2, 28, 28}));
  EXPECT_EQ(splits.test.labels.shape(), (Shape{2}));
  const int byte = splits.train.images.elements<std::uint8_t>()[0];
  for (const Tensor& tensor : {splits.train.images, splits.train.labels, splits.test.images, splits.test.labels}) {
    EXPECT_EQ(tensor.dtype(), uint8);
    EXPECT_THAT(tensor.to_vector(), Each(byte));
  }
  return byte;
}

class IdxDatasetTest : public ::testing::Test {
 protected:
  IdxDatasetTest() {
    dataset_.title = "Digits";
    dataset_.folder = "digits";
    for (std::size_t index = 0; index < names.size(); ++index) {
      dataset_.files[index] = {names[index], io::checksum(io::ChecksumKind::sha256, packed(index, 7))};
    }
    dataset_.mirrors = {url("broken_mirror"), url("mirror")};
  }

  std::string url(const std::string& folder) const { return "file://" + (folder_ / folder).string() + "/"; }
  Splits load() const { return load_idx_dataset(dataset_, nullptr); }

  /// Puts Keras's file, with the expected checksum, into the cache folder.
  void put_npz(unsigned char byte) {
    fs::create_directories(cache_);
    const auto tensor = [&](const Shape& shape) {
      return Tensor::from_data(shape, std::vector<std::uint8_t>(static_cast<std::size_t>(shape.size()), byte));
    };
    io::write_npz(cache_ / "digits.npz", {{"x_test", tensor({2, 28, 28})},
                                          {"x_train", tensor({3, 28, 28})},
                                          {"y_train", tensor({3})},
                                          {"y_test", tensor({2})}});
    dataset_.npz = DatasetFile{"digits.npz", io::checksum_of_file(io::ChecksumKind::sha256, cache_ / "digits.npz")};
  }

  TemporaryFolder folder_;
  fs::path own_ = folder_ / "own";
  fs::path cache_ = folder_ / "keras/datasets";
  EnvironmentVariable own_variable_{"RHYTON_DATASETS", own_.string()};
  EnvironmentVariable cache_variable_{"KERAS_HOME", (folder_ / "keras").string()};
  IdxDataset dataset_;
};

TEST_F(IdxDatasetTest, LooksInTheRightOrder) {
  put_files(folder_ / "mirror", 7);
  EXPECT_EQ(byte_of(load()), 7);
  fs::remove_all(cache_);
  put_npz(3);
  EXPECT_EQ(byte_of(load()), 3);
  put_files(cache_ / "digits", 2);
  EXPECT_EQ(byte_of(load()), 2);
  put_files(own_ / "digits", 1);
  EXPECT_EQ(byte_of(load()), 1);
}

TEST_F(IdxDatasetTest, ReadsUnpackedFiles) {
  fs::create_directories(own_ / "digits");
  for (std::size_t index = 0; index < names.size(); ++index) {
    put(own_ / "digits" / names[index], content(index, 4));
  }
  EXPECT_EQ(byte_of(load()), 4);
}

TEST_F(IdxDatasetTest, DownloadsOnceAndShowsProgress) {
  put_files(folder_ / "mirror", 7);
  std::ostringstream output;
  EXPECT_EQ(byte_of(load_idx_dataset(dataset_, &output)), 7);
  EXPECT_THAT(output.str(), HasSubstr("Downloading data from " + url("mirror") + names[0] + ".gz"));
  fs::remove_all(folder_ / "mirror");
  EXPECT_EQ(byte_of(load()), 7);
}

TEST_F(IdxDatasetTest, CompletesAnInterruptedDownload) {
  put_files(folder_ / "mirror", 7);
  fs::create_directories(cache_ / "digits");
  fs::rename(folder_ / "mirror" / (names[0] + ".gz"), cache_ / "digits" / (names[0] + ".gz"));
  EXPECT_EQ(byte_of(load()), 7);
}

TEST_F(IdxDatasetTest, RefusesADownloadWithAWrongChecksum) {
  put_files(folder_ / "mirror", 8);
  const std::string message = message_of<IOError>([&] { load(); });
  EXPECT_THAT(message, AllOf(HasSubstr("Digits is not on this machine"), HasSubstr("RHYTON_DATASETS"),
                             HasSubstr(url("broken_mirror") + names[0] + ".gz"),
                             HasSubstr("wrong SHA-256 checksum: expected " + dataset_.files[0].sha256)));
  EXPECT_TRUE(fs::is_empty(cache_ / "digits"));
}

TEST_F(IdxDatasetTest, FallsBackToKerasFile) {
  put_npz(3);
  fs::create_directories(folder_ / "mirror");
  fs::rename(cache_ / "digits.npz", folder_ / "mirror/digits.npz");
  dataset_.npz_url = url("mirror") + "digits.npz";
  EXPECT_EQ(byte_of(load()), 3);
  EXPECT_TRUE(fs::exists(cache_ / "digits.npz"));
  fs::remove(cache_ / "digits.npz");
  fs::remove(folder_ / "mirror/digits.npz");
  EXPECT_THAT(message_of<IOError>([&] { load(); }), HasSubstr(dataset_.npz_url));
}

TEST_F(IdxDatasetTest, DamagedFilesAreNamedNotSkipped) {
  put_files(cache_ / "digits", 2);
  const auto message_with = [&](std::size_t index, const std::string& bytes) {
    put_files(own_ / "digits", 1);
    put(own_ / "digits" / (names[index] + ".gz"), bytes);
    std::string message = message_of<IOError>([&] { load(); });
    EXPECT_THAT(message, HasSubstr((own_ / "digits" / (names[index] + ".gz")).string()));
    return message;
  };
  const std::string images = content(0, 1);
  const std::string whole = to_text(packed(0, 1));
  EXPECT_THAT(message_with(0, whole.substr(0, whole.size() / 2)), HasSubstr("cut short"));
  std::string flipped = whole;
  flipped[whole.size() - 5] = static_cast<char>(flipped[whole.size() - 5] ^ 1);
  EXPECT_THAT(message_with(0, flipped), HasSubstr("is damaged"));
  EXPECT_THAT(message_with(0, content(1, 1)), HasSubstr("expected 0x00000803, found 0x00000801"));
  EXPECT_THAT(message_with(0, images.substr(0, images.size() - 1)), HasSubstr("expected 2352 bytes"));
  EXPECT_THAT(message_with(0, word(idx_images_magic) + word(1) + word(2) + word(2) + "abcd"),
              HasSubstr("expected uint8 images of shape (N, 28, 28), found uint8 (1, 2, 2)"));
  EXPECT_THAT(message_with(1, content(3, 1)), HasSubstr("expected uint8 labels of shape (3,), found uint8 (2,)"));
  EXPECT_THAT(message_with(3, ""), HasSubstr("cut short"));
}

TEST_F(IdxDatasetTest, NamesMissingFiles) {
  put_files(own_ / "digits", 1);
  fs::remove(own_ / "digits" / (names[2] + ".gz"));
  EXPECT_THAT(message_of<NotFoundError>([&] { load(); }),
              AllOf(HasSubstr((own_ / "digits").string()), HasSubstr("3 of the 4 files"), HasSubstr(names[2])));
}

TEST_F(IdxDatasetTest, RefusesADamagedKerasFile) {
  put_npz(3);
  const std::string expected = dataset_.npz->sha256;
  std::string bytes = content_of(cache_ / "digits.npz");
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
  put(cache_ / "digits.npz", bytes);
  EXPECT_THAT(message_of<IOError>([&] { load(); }),
              AllOf(HasSubstr((cache_ / "digits.npz").string()), HasSubstr("expected the SHA-256 checksum " + expected),
                    HasSubstr("found " + io::checksum_of_file(io::ChecksumKind::sha256, cache_ / "digits.npz"))));
}

TEST_F(IdxDatasetTest, NeedsACacheFolderToDownload) {
  put_files(folder_ / "mirror", 7);
  put(folder_ / "keras", "a file where the folder should be");
  EXPECT_THAT(message_of<IOError>([&] { load(); }), HasSubstr("cannot make the folder"));
}

}  // namespace
}  // namespace rhyton::datasets
