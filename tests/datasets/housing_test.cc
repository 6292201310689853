// Prices of houses: split and shuffled as NumPy does.

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/datasets/housing.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/io/npy.h>
#include <rhyton/tests/framework/io/temporary_folder.h>
#include <rhyton/tests/support/message_of.h>

namespace rhyton::datasets {
namespace {

using test::message_of;

class Housing : public ::testing::Test {
 protected:
  /// x[i] = [i, i + 0.5], y[i] = i.
  std::string file_of(std::int64_t count) const {
    std::vector<double> x;
    std::vector<double> y;
    for (std::int64_t i = 0; i < count; ++i) {
      x.push_back(static_cast<double>(i));
      x.push_back(static_cast<double>(i) + 0.5);
      y.push_back(static_cast<double>(i));
    }
    std::string path = (folder_.path() / "houses.npz").string();
    io::write_npz(path,
                  {{"x", Tensor::from_data<double>({count, 2}, x)}, {"y", Tensor::from_data<double>({count}, y)}});
    return path;
  }

  test::TemporaryFolder folder_;
};

TEST_F(Housing, IsShuffledAndSplitAsInKeras) {
  // numpy.random.RandomState(113).shuffle of numpy.arange(10)
  const std::vector<double> order = {9, 3, 6, 1, 0, 7, 4, 8, 2, 5};
  const RegressionSplits splits = load_regression_data(file_of(10), 0.25, 113);
  std::vector<double> y = splits.train.y.to_vector();
  EXPECT_EQ(y.size(), 7);
  const std::vector<double> test = splits.test.y.to_vector();
  y.insert(y.end(), test.begin(), test.end());
  EXPECT_EQ(y, order);
  EXPECT_EQ(splits.train.x.shape(), (Shape{7, 2}));
  EXPECT_EQ(splits.train.x.dtype(), float64);
  EXPECT_EQ(splits.train.x.to_vector()[1], order[0] + 0.5);
  EXPECT_EQ(splits.test.x.to_vector()[5], order[9] + 0.5);
}

TEST_F(Housing, TakesTheFirstSamplesOnly) {
  const RegressionSplits splits = load_regression_data(file_of(30), 0.0, 7, 10);
  EXPECT_EQ(splits.train.y.shape(), (Shape{10}));
  EXPECT_EQ(splits.test.y.shape(), (Shape{0}));
  for (const double number : splits.train.y.to_vector()) EXPECT_LT(number, 10);
}

TEST_F(Housing, RefusesWrongArgumentsAndFiles) {
  EXPECT_EQ(message_of<ValueError>([] { boston_housing::load_data({.test_split = 1.0}); }),
            "Invalid `test_split` argument: 1.0. It must be between 0 and 1 (exclusive of 1).");
  EXPECT_EQ(message_of<ValueError>([] { california_housing::load_data({.version = "huge"}); }),
            "Argument `version` must be one of 'small', 'large'. Received: version=huge");
  const std::string path = (folder_.path() / "wrong.npz").string();
  io::write_npz(path,
                {{"x", Tensor::from_data<float>({2, 1}, {1, 2})}, {"y", Tensor::from_data<float>({3}, {1, 2, 3})}});
  EXPECT_EQ(message_of<IOError>([&] { load_regression_data(path, 0.2, 1); }),
            "\"" + path +
                "\" has the wrong content: expected x of shape (N, features) and y of shape (N,), found (2, 1) "
                "and (3,)");
}

}  // namespace
}  // namespace rhyton::datasets
