#include <array>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/datasets/fashion_mnist.h>
#include <rhyton/datasets/mnist.h>
#include <rhyton/framework/io/checksum.h>
#include <rhyton/tests/framework/io/temporary_folder.h>
#include <rhyton/tests/support/environment_variable.h>

namespace rhyton::datasets {
namespace {

using test::EnvironmentVariable;
using ::testing::ElementsAre;

std::string checksum(const Tensor& tensor) {
  return io::checksum(io::ChecksumKind::sha256, std::as_bytes(tensor.elements<std::uint8_t>()));
}

TEST(Mnist, LoadsTheRealDigits) {
  const EnvironmentVariable own("RHYTON_DATASETS", std::nullopt);
  const auto [train, test] = mnist::load_data();
  EXPECT_EQ(train.images.spec(), (TensorSpec{{60000, 28, 28}, uint8}));
  EXPECT_EQ(train.labels.spec(), (TensorSpec{{60000}, uint8}));
  EXPECT_EQ(test.images.spec(), (TensorSpec{{10000, 28, 28}, uint8}));
  EXPECT_EQ(test.labels.spec(), (TensorSpec{{10000}, uint8}));
  std::array<int, 10> counts{};
  for (const std::uint8_t label : train.labels.elements<std::uint8_t>()) {
    ++counts.at(label);
  }
  EXPECT_THAT(counts, ElementsAre(5923, 6742, 5958, 6131, 5842, 5421, 5918, 6265, 5851, 5949));
  EXPECT_EQ(train.labels.elements<std::uint8_t>()[0], 5);
  EXPECT_EQ(test.labels.elements<std::uint8_t>()[0], 7);
  EXPECT_EQ(checksum(train.images), "741c988805d008ac6e4c904b69001ba184c24b2c540a4ef403f4c71b676cf757");
  EXPECT_EQ(checksum(train.labels), "1feba77c54802fa5339a11837ea4b2866434b83314ec45192930f1df69120c13");
  EXPECT_EQ(checksum(test.images), "6d87418db22cc8025d05968bec9bd5c3932904b23485740db143a061a2c9d161");
  EXPECT_EQ(checksum(test.labels), "ddeff807876a9661a1110d45c266c86239a3a1b7d37da0c3716a7a683c852ff5");
}

TEST(FashionMnist, SaysWhichFilesAreMissing) {
  const test::TemporaryFolder folder;
  std::filesystem::create_directories(folder / "fashion-mnist");
  test::put(folder / "fashion-mnist/t10k-labels-idx1-ubyte.gz", "x");
  const EnvironmentVariable own("RHYTON_DATASETS", folder.path().string());
  EXPECT_THAT(test::message_of<NotFoundError>([] { fashion_mnist::load_data(); }),
              ::testing::HasSubstr("1 of the 4 files of Fashion-MNIST"));
}

}  // namespace
}  // namespace rhyton::datasets
