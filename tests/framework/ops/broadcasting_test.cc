// Elementwise ops whose operands broadcast: rows that repeat, short and long, first or second.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/sequences.h>
#include <rhyton/tests/support/random_tensor.h>

namespace rhyton {
namespace {

using test::random_tensor;

/// x - factors and factors - x for images x, with the index of the factor of each element.
template <class IndexOf>
void expect_differences(const Shape& images, const Shape& factors, const IndexOf& index_of) {
  const Tensor x = random_tensor(images, 1);
  const Tensor row = random_tensor(factors, 2);
  const std::vector<double> of_x = x.to_vector();
  const std::vector<double> of_row = row.to_vector();
  std::vector<double> less;
  std::vector<double> more;
  for (std::size_t i = 0; i < of_x.size(); ++i) {
    const double factor = of_row[index_of(i)];
    less.push_back(static_cast<float>(of_x[i] - factor));
    more.push_back(static_cast<float>(factor - of_x[i]));
  }
  SCOPED_TRACE(images.to_string() + " and " + factors.to_string());
  EXPECT_EQ((x - row).to_vector(), less);
  EXPECT_EQ((row - x).to_vector(), more);
}

TEST(Broadcasting, ANumberForEachChannel) {
  for (const std::int64_t channels : {1, 2, 3, 33, 511, 512, 513, 1500}) {
    const auto length = static_cast<std::size_t>(channels);
    const auto channel = [=](std::size_t i) { return i % length; };
    expect_differences({3, 5, 7, channels}, {channels}, channel);
    expect_differences({3, 5, 7, channels}, {1, 1, 1, channels}, channel);
    // Another one for each image.
    const auto of_image = [=](std::size_t i) { return i / (35 * length) * length + i % length; };
    expect_differences({3, 5, 7, channels}, {3, 1, 1, channels}, of_image);
    // Another one for each line of all images.
    const auto of_line = [=](std::size_t i) { return i / (7 * length) % 5 * length + i % length; };
    expect_differences({3, 5, 7, channels}, {5, 1, channels}, of_line);
  }
}

TEST(Broadcasting, ANumberForEachPixel) {
  expect_differences({3, 5, 7, 6}, {5, 7, 1}, [](std::size_t i) { return i / 6 % 35; });
  expect_differences({3, 5, 7, 6}, {7, 1}, [](std::size_t i) { return i / 6 % 7; });
}

TEST(Broadcasting, IntegersAndNothing) {
  const Tensor x = arange(0, 6, 1, int64).reshape({2, 3});
  EXPECT_EQ((arange(10, 40, 10, int64) - x).to_vector(), (std::vector<double>{10, 19, 28, 7, 16, 25}));
  EXPECT_EQ((random_tensor({0, 4}, 1) - random_tensor({4}, 2)).shape(), Shape({0, 4}));
  EXPECT_EQ((random_tensor({4, 0}, 1) - random_tensor({1, 0}, 2)).shape(), Shape({4, 0}));
}

}  // namespace
}  // namespace rhyton
