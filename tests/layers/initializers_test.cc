#include <cmath>

#include <gtest/gtest.h>

#include <rhyton/framework/context.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/matmul.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/layers/initializers.h>
#include <rhyton/tests/layers/golden_cases.h>

namespace rhyton::layers {
namespace {

using test::GoldenCases;

const GoldenCases& golden_initializers() {
  static const GoldenCases cases("initializers");
  return cases;
}

Shape read_shape(const io::Json& json) {
  Shape shape;
  for (const io::Json& length : json) shape.push_back(length.as_int());
  return shape;
}

class GoldenInitializers : public ::testing::TestWithParam<std::string> {};

TEST_P(GoldenInitializers, HasKerasDistribution) {
  set_random_seed(7);
  const io::Json& golden = golden_initializers().find(GetParam());
  Initializer initializer = Initializer::from_config(golden);
  // Keras omits the gain from this config.
  if (GetParam() == "identity_wide_gain_2") initializer = initializers::Identity(2.0);
  const Shape shape = read_shape(golden["shape"]);

  if (const io::Json* const values = golden.find("values")) {
    // Cosines are rounded.
    const double tolerance = golden["class_name"].as_string() == "STFT" ? 2e-6 : 0.0;
    const std::vector<double> actual = initializer(shape).to_vector();
    ASSERT_EQ(actual.size(), values->size());
    for (std::size_t i = 0; i < actual.size(); ++i) {
      EXPECT_NEAR(actual[i], (*values)[static_cast<std::int64_t>(i)].as_double(), tolerance);
    }
    return;
  }

  double sum = 0;
  double squares = 0;
  double count = 0;
  double lowest = std::numeric_limits<double>::infinity();
  double highest = -lowest;
  for (std::int64_t draw = 0; draw < golden["draws"].as_int(); ++draw) {
    for (const double value : initializer(shape).to_vector()) {
      sum += value;
      squares += value * value;
      count += 1;
      lowest = std::min(lowest, value);
      highest = std::max(highest, value);
    }
  }
  const io::Json& expected = golden["expected"];
  const double stddev = expected["stddev"].as_double();
  const double mean = sum / count;
  // Both within five standard errors for this number of draws; columns of an orthogonal matrix are correlated.
  const double scatter = expected["distribution"].as_string() == "orthogonal" ? 0.02 : 5.0 / std::sqrt(count);
  EXPECT_NEAR(mean, expected["mean"].as_double(), stddev * scatter);
  EXPECT_NEAR(std::sqrt(squares / count - mean * mean), stddev, stddev * scatter);
  const double rounding = 1e-6 * stddev;
  if (!expected["low"].is_null()) {
    EXPECT_GE(lowest, expected["low"].as_double() - rounding);
    EXPECT_LT(lowest, expected["low"].as_double() + 0.05 * stddev);
    EXPECT_LE(highest, expected["high"].as_double() + rounding);
    EXPECT_GT(highest, expected["high"].as_double() - 0.05 * stddev);
  } else if (expected["distribution"].as_string() == "normal") {
    EXPECT_GT(highest, expected["mean"].as_double() + 3.5 * stddev);
    EXPECT_LT(lowest, expected["mean"].as_double() - 3.5 * stddev);
  }
}

TEST_P(GoldenInitializers, ConfigComesBack) {
  const io::Json& golden = golden_initializers().find(GetParam());
  const Initializer initializer = Initializer::from_config(golden);
  const io::Json config = initializer.to_config();
  // Also written under the names of Keras 3.0.
  std::string class_name = golden["class_name"].as_string();
  if (class_name == "Orthogonal" || class_name == "Identity") class_name += "Initializer";
  EXPECT_EQ(config["class_name"].as_string(), class_name);
  EXPECT_EQ(config["module"].as_string(), "keras.initializers");
  for (const auto& [key, value] : config["config"].items()) EXPECT_EQ(value, golden["config"][key]) << key;
  EXPECT_EQ(Initializer::from_config(config).to_config(), config);
}

INSTANTIATE_TEST_SUITE_P(All, GoldenInitializers, ::testing::ValuesIn(golden_initializers().names()),
                         [](const auto& info) { return test::test_name(info.param); });

TEST(Initializers, NamesOfKeras) {
  const std::map<std::string, std::string> names = {
      {"zeros", "Zeros"},
      {"zero", "Zeros"},
      {"ones", "Ones"},
      {"one", "Ones"},
      {"constant", "Constant"},
      {"random_normal", "RandomNormal"},
      {"normal", "RandomNormal"},
      {"truncated_normal", "TruncatedNormal"},
      {"random_uniform", "RandomUniform"},
      {"uniform", "RandomUniform"},
      {"variance_scaling", "VarianceScaling"},
      {"glorot_uniform", "GlorotUniform"},
      {"glorot_normal", "GlorotNormal"},
      {"he_uniform", "HeUniform"},
      {"he_normal", "HeNormal"},
      {"lecun_uniform", "LecunUniform"},
      {"lecun_normal", "LecunNormal"},
      {"orthogonal", "Orthogonal"},
      {"OrthogonalInitializer", "Orthogonal"},
      {"identity", "Identity"},
      {"IdentityInitializer", "Identity"},
  };
  for (const auto& [name, class_name] : names) {
    EXPECT_EQ(Initializer(name).impl()->class_name(), class_name);
    EXPECT_EQ(Initializer(class_name).impl()->class_name(), class_name);
    EXPECT_FALSE(Initializer(name)({4, 4}).is_empty());
  }
}

TEST(Initializers, SeedFixesTheValues) {
  const Initializer fixed = initializers::GlorotUniform({.seed = 3});
  EXPECT_EQ(fixed({5, 4}).to_vector(), fixed({5, 4}).to_vector());
  EXPECT_EQ(fixed({5, 4}).to_vector(), initializers::GlorotUniform({.seed = 3})({5, 4}).to_vector());
  EXPECT_NE(fixed({5, 4}).to_vector(), initializers::GlorotUniform({.seed = 4})({5, 4}).to_vector());

  const Initializer free = "glorot_uniform";
  set_random_seed(1);
  const std::vector<double> first = free({5, 4}).to_vector();
  const std::vector<double> second = free({5, 4}).to_vector();
  EXPECT_NE(first, second);
  set_random_seed(1);
  EXPECT_EQ(free({5, 4}).to_vector(), first);
}

TEST(Initializers, OrthogonalMatrices) {
  for (const Shape& shape : {Shape{6, 4}, Shape{4, 6}, Shape{5, 5}, Shape{2, 3, 4}}) {
    const Tensor values = initializers::Orthogonal({.gain = 2.0})(shape, DType::float64);
    ASSERT_EQ(values.shape(), shape);
    const std::int64_t columns = shape.at(-1);
    const Tensor matrix = reshape(values, {-1, columns});
    const bool is_wide = matrix.shape()[0] < columns;
    const Tensor product = is_wide ? matmul(matrix, matrix, false, true) : matmul(matrix, matrix, true);
    for (std::int64_t row = 0; row < product.shape()[0]; ++row) {
      for (std::int64_t column = 0; column < product.shape()[1]; ++column) {
        EXPECT_NEAR(product[row][column].item(), row == column ? 4.0 : 0.0, 1e-12);
      }
    }
  }
}

TEST(Initializers, DtypesAndScalars) {
  EXPECT_EQ(Initializer("he_normal")({3, 2}, DType::float64).dtype(), DType::float64);
  EXPECT_EQ(Initializer("he_normal")({3, 2}, DType::bfloat16).dtype(), DType::bfloat16);
  EXPECT_EQ(Initializer("ones")({2}, DType::int64).to_vector(), (std::vector<double>{1, 1}));
  EXPECT_EQ(Initializer("glorot_uniform")({}).rank(), 0);
}

void expect_message(const std::function<void()>& action, const std::string& message) {
  try {
    action();
    FAIL() << message;
  } catch (const ValueError& error) {
    EXPECT_EQ(error.what(), message);
  }
}

TEST(Initializers, ErrorsOfKeras) {
  expect_message([] { Initializer("nonsense"); }, "Could not interpret initializer identifier: nonsense");
  expect_message([] { initializers::Orthogonal()({3}); },
                 "The tensor to initialize must be at least two-dimensional. Received: shape=(3,) of rank 1.");
  expect_message(
      [] {
        initializers::Identity()({3, 3, 3});
      },
      "Identity matrix initializer can only be used for 2D matrices. Received: shape=(3, 3, 3) of rank 3.");
  expect_message([] { initializers::VarianceScaling({.scale = -1.0}); },
                 "Argument `scale` must be positive float. Received: scale=-1.0");
  EXPECT_THROW(initializers::VarianceScaling({.mode = "nonsense"}), ValueError);
  EXPECT_THROW(initializers::VarianceScaling({.distribution = "nonsense"}), ValueError);
}

TEST(Initializers, ReadsKeras2) {
  const Initializer initializer = Initializer::from_config(
      io::Json::object({{"class_name", "RandomNormal"},
                        {"config", io::Json::object({{"mean", 1}, {"stddev", 0.5}, {"seed", nullptr}})}}));
  EXPECT_EQ(initializer.to_config()["config"]["stddev"], io::Json(0.5));
  EXPECT_TRUE(Initializer::from_config(nullptr).is_empty());
  EXPECT_EQ(Initializer::from_config("zeros").impl()->class_name(), "Zeros");
}

// As Keras's example of PointNet has it: Constant(np.eye(3).flatten()).
TEST(Initializers, ReadsConstantsThatAreArrays) {
  const auto config = [](const std::string& value) {
    return io::Json::parse(R"({"module": "keras.initializers", "class_name": "Constant", "config": {"value": )" +
                           value + R"(}, "registered_name": null})");
  };
  const io::Json saved =
      config(R"({"class_name": "__numpy__", "config": {"value": [1.0, 0.0, 2.5], "dtype": "float64"}})");
  const Initializer constant = Initializer::from_config(saved);
  EXPECT_EQ(constant({3}, DType::float32).to_vector(), (std::vector<double>{1, 0, 2.5}));
  EXPECT_EQ(constant({2, 3}, DType::float32).to_vector(), (std::vector<double>{1, 0, 2.5, 1, 0, 2.5}));
  EXPECT_EQ(constant.to_config(), saved);
  EXPECT_THROW(constant({4}, DType::float32), ValueError);
  EXPECT_EQ(Initializer::from_config(config("[[1], [2]]"))({2, 1}, DType::int32).to_vector(),
            (std::vector<double>{1, 2}));
  EXPECT_THROW(Initializer::from_config(config(R"({"class_name": "Dense", "config": {}})")), Error);
}

TEST(Initializers, AxesOfInputsAndOutputs) {
  const initializers::Fans fans = initializers::compute_fans({2, 3, 5}, {0, -2}, {2});
  EXPECT_EQ(fans.in, 6);
  EXPECT_EQ(fans.out, 5);
  EXPECT_THROW(initializers::compute_fans({2, 3}, {2}, {0}), ValueError);

  set_random_seed(1);
  const Initializer plain = initializers::HeUniform({.seed = 4});
  const Initializer with_axes = initializers::with_fan_axes(plain, {1}, {0});
  // √(6 / 1000) instead of √(6 / 10).
  EXPECT_NEAR(max(abs(with_axes({10, 1000}))).item(), std::sqrt(6.0 / 1000), 1e-4);
  EXPECT_NEAR(max(abs(plain({10, 1000}))).item(), std::sqrt(6.0 / 10), 1e-3);
  // Its own axes remain, and they are saved.
  const Initializer read = Initializer::from_config(with_axes.to_config());
  EXPECT_EQ(read.to_config()["config"].dump(), R"({"seed": 4, "input_axes": [1], "output_axes": [0]})");
  EXPECT_EQ(initializers::with_fan_axes(read, {0}, {1}).to_config(), read.to_config());
  EXPECT_EQ(initializers::with_fan_axes("zeros", {0}, {1}).to_config(), Initializer("zeros").to_config());
}

}  // namespace
}  // namespace rhyton::layers
