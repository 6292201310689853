#include <rhyton/datasets/housing.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <vector>

#include <fmt/format.h>

#include <rhyton/datasets/get_file.h>
#include <rhyton/datasets/numpy_shuffle.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/io/json/json.h>
#include <rhyton/framework/io/npy.h>

namespace rhyton::datasets {
namespace {

constexpr const char* origin_folder = "https://storage.googleapis.com/tensorflow/tf-keras-datasets/";

void require_split(double test_split) {
  if (test_split >= 0.0 && test_split < 1.0) return;
  throw ValueError("Invalid `test_split` argument: " + io::Json(test_split).dump() +
                   ". It must be between 0 and 1 (exclusive of 1).");
}

/// The samples of these numbers.
Tensor picked(const Tensor& array, const std::size_t* begin, std::size_t count) {
  const Shape shape = array.shape().with(0, static_cast<std::int64_t>(count));
  Tensor result = Tensor::uninitialized(shape, array.dtype());
  const std::size_t bytes = array.spec().bytes() / static_cast<std::size_t>(array.shape()[0]);
  const auto* const from = static_cast<const std::byte*>(array.raw_data());
  auto* to = static_cast<std::byte*>(result.mutable_raw_data());
  for (std::size_t i = 0; i < count; ++i) std::memcpy(to + i * bytes, from + begin[i] * bytes, bytes);
  return result;
}

}  // namespace

RegressionSplits load_regression_data(const std::string& path, double test_split, std::uint32_t seed,
                                      std::int64_t maximum) {
  require_split(test_split);
  const Tensor x = io::read_npz(path, "x");
  const Tensor y = io::read_npz(path, "y");
  if (x.rank() != 2 || y.rank() != 1 || x.shape()[0] != y.shape()[0] || x.shape()[0] == 0) {
    throw IOError(
        fmt::format("\"{}\" has the wrong content: expected x of shape (N, features) and y of shape (N,), "
                    "found {} and {}",
                    path, x.shape().to_string(), y.shape().to_string()));
  }
  auto count = static_cast<std::size_t>(x.shape()[0]);
  if (maximum > 0) count = std::min(count, static_cast<std::size_t>(maximum));
  const std::vector<std::size_t> order = numpy_shuffle(count, seed);
  const auto training = static_cast<std::size_t>(static_cast<double>(count) * (1.0 - test_split));
  const std::size_t* const rest = order.data() + training;
  return {{picked(x, order.data(), training), picked(y, order.data(), training)},
          {picked(x, rest, count - training), picked(y, rest, count - training)}};
}

RegressionSplits boston_housing::load_data(const LoadDataOptions& options) {
  require_split(options.test_split);
  const std::string path = get_file(
      std::string(origin_folder) + "boston_housing.npz",
      {.fname = options.path, .file_hash = "f553886a1f8d56431e820c5b82552d9d95cfcb96d1e678153f8839538947dff5"});
  return load_regression_data(path, options.test_split, options.seed);
}

RegressionSplits california_housing::load_data(const LoadDataOptions& options) {
  require_split(options.test_split);
  if (options.version != "small" && options.version != "large") {
    throw ValueError("Argument `version` must be one of 'small', 'large'. Received: version=" + options.version);
  }
  const std::string path = get_file(
      std::string(origin_folder) + "california_housing.npz",
      {.fname = options.path, .file_hash = "1a2e3a52e0398de6463aebe6f4a8da34fb21fbb6b934cf88c3425e766f2a1a6f"});
  constexpr std::int64_t small = 600;
  return load_regression_data(path, options.test_split, options.seed, options.version == "small" ? small : 0);
}

}  // namespace rhyton::datasets
