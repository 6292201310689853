#pragma once

#include <cstdint>
#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/framework/tensor/tensor.h>

namespace rhyton::datasets {

/// Samples with a number as the target of each.
struct RegressionData {
  /// [samples, features], of the dtype that the file has: float64 for Boston, float32 for California.
  Tensor x;
  /// [samples]
  Tensor y;
};

/// `const auto [train, test] = boston_housing::load_data();`
struct RegressionSplits {
  RegressionData train;
  RegressionData test;
};

/// The arrays "x" and "y" of a `.npz` file, shuffled by `numpy.random.RandomState(seed)` and split: the first samples,
/// rounded down from (1 - test_split) of them, are for training. `maximum`: only so many samples are taken, before they
/// are shuffled; 0 for all. Throws ValueError in Keras's words for a `test_split` outside of [0, 1), IOError for a file
/// without these arrays or with different numbers of samples.
RegressionSplits load_regression_data(const std::string& path, double test_split, std::uint32_t seed,
                                      std::int64_t maximum = 0);

namespace boston_housing {

/// Fields in the order of Keras's signature.
struct LoadDataOptions {
  ByName by_name = ByName();
  /// The name of the file in the cache.
  std::string path = "boston_housing.npz";
  /// The part of the samples that is for tests, in [0, 1).
  double test_split = 0.2;
  std::uint32_t seed = 113;
};

/// 506 houses of Boston, 1978, with 13 features, and their prices in thousands of dollars
/// (`keras.datasets.boston_housing`). From `~/.keras/datasets`, or downloaded to it (`get_file`). Throws as `get_file`
/// and `load_regression_data`.
RegressionSplits load_data(const LoadDataOptions& options = {});

}  // namespace boston_housing

namespace california_housing {

/// Fields in the order of Keras's signature.
struct LoadDataOptions {
  ByName by_name = ByName();
  /// "small", 600 districts, or "large", all 20640.
  std::string version = "large";
  std::string path = "california_housing.npz";
  double test_split = 0.2;
  std::uint32_t seed = 113;
};

/// Districts of California, 1990, with 8 features, and the median price of their houses in dollars
/// (`keras.datasets.california_housing`). From the cache or downloaded, as `boston_housing::load_data`. Throws
/// ValueError in Keras's words for another version.
RegressionSplits load_data(const LoadDataOptions& options = {});

}  // namespace california_housing

}  // namespace rhyton::datasets
