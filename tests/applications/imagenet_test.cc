#include <rhyton/applications/imagenet.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/applications/mobilenet_v3.h>
#include <rhyton/applications/resnet.h>
#include <rhyton/framework/context.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/io/json/json.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/warning.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/models/model.h>
#include <rhyton/tests/support/environment_variable.h>
#include <rhyton/tests/support/message_of.h>

namespace rhyton::applications::imagenet_utils {
namespace {

using io::Json;
using test::message_of;

const Json& golden() {
  static const Json values = [] {
    const std::string path = RHYTON_GOLDEN_DIR "/imagenet.json";
    std::ifstream file(path);
    return Json::parse(std::string(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()), path);
  }();
  return values;
}

Shape shape_of(const Json& lengths) {
  Shape shape;
  for (const Json& length : lengths) shape.push_back(length.is_null() ? -1 : length.as_int());
  return shape;
}

Tensor tensor_of(const Shape& shape, const Json& numbers) {
  std::vector<float> values;
  for (const Json& number : numbers) values.push_back(static_cast<float>(number.as_double()));
  return Tensor::from_data<float>(shape, values);
}

void expect_equal(const Tensor& actual, const Tensor& expected, const std::string& where) {
  ASSERT_EQ(actual.spec(), expected.spec()) << where;
  const std::vector<double> a = actual.to_vector();
  const std::vector<double> e = expected.to_vector();
  for (std::size_t i = 0; i < a.size(); ++i) ASSERT_FLOAT_EQ(a[i], e[i]) << where << ", element " << i;
}

TEST(PreprocessInput, GivesTheValuesOfKeras) {
  for (const Json& row : golden()["preprocess"]) {
    const std::string& data_format = row[0].as_string();
    const std::string& mode = row[1].as_string();
    const Shape shape = shape_of(row[2]);
    const std::string where = data_format + " " + mode + " " + shape.to_string();
    const Tensor x = tensor_of(shape, row[3]);
    const Tensor expected = tensor_of(shape, row[4]);
    expect_equal(preprocess_input(x.cast(uint8), data_format, mode), expected, where);
    expect_equal(preprocess_input(x, data_format, mode), expected, where);
    if (shape.rank() == 3) continue;
    const layers::Input input({.shape = shape.slice(1, 4)});
    const models::Model model(
        {.inputs = input, .outputs = preprocess_input(layers::SymbolicTensor(input), data_format, mode)});
    expect_equal(model(x), expected, where + ", symbolic");
  }
}

TEST(PreprocessInput, KeepsFloatingDtypes) {
  const Tensor x = Tensor::full({1, 1, 1, 3}, 100.0, float64);
  EXPECT_EQ(preprocess_input(x, "", "torch").dtype(), DType::float64);
  EXPECT_EQ(preprocess_input(x.cast(float16), "", "caffe").dtype(), DType::float16);
}

TEST(PreprocessInput, OfTheModulesHasTheirMode) {
  const Tensor x = Tensor::full({1, 1, 1, 3}, 255.0, float32);
  expect_equal(resnet::preprocess_input(x), preprocess_input(x, "", "caffe"), "resnet");
  expect_equal(resnet50::preprocess_input(x, "channels_last"), preprocess_input(x), "resnet50");
  EXPECT_TRUE(mobilenet_v3::preprocess_input(x).is_same(x));
}

TEST(PreprocessInput, RefusesBadArguments) {
  const Tensor x = Tensor::full({1, 2, 2, 3}, 1.0, float32);
  EXPECT_EQ(message_of<ValueError>([&] { preprocess_input(x, "", "keras"); }),
            "Expected mode to be one of `caffe`, `tf` or `torch`. Received: mode=keras");
  EXPECT_EQ(message_of<ValueError>([&] { preprocess_input(x, "last", "tf"); }),
            "Expected data_format to be one of `channels_first` or `channels_last`. Received: data_format=last");
  EXPECT_EQ(message_of<ValueError>([&] { preprocess_input(x, "channels_first"); }),
            "`preprocess_input` expects images with 3 channels. Received: x.shape=(1, 2, 2, 3)");
  EXPECT_EQ(message_of<ValueError>([&] { preprocess_input(x[0][0]); }),
            "`preprocess_input` expects an image or a batch of images, of rank 3 or 4. Received: x.shape=(2, 3)");
}

/// Restores the data format and takes warnings.
class ObtainInputShape : public ::testing::Test {
 public:
  ObtainInputShape()
      : previous_(config::set_warning_handler([this](const std::string& text) { warnings_.push_back(text); })) {}
  ~ObtainInputShape() override {
    config::set_warning_handler(previous_);
    config::set_image_data_format("channels_last");
  }

 protected:
  std::vector<std::string> warnings_;

 private:
  config::WarningHandler previous_;
};

TEST_F(ObtainInputShape, DoesAsKeras) {
  for (const Json& row : golden()["input_shapes"]) {
    SCOPED_TRACE(row.dump());
    config::set_image_data_format(row["data_format"].as_string());
    warnings_.clear();
    std::optional<Shape> given;
    if (!row["input_shape"].is_null()) given = shape_of(row["input_shape"]);
    InputRequirements requirements = {.require_flatten = row["require_flatten"].as_bool()};
    if (row["weights"].is_string()) requirements.weights = row["weights"].as_string();
    if (row.contains("error")) {
      EXPECT_EQ(message_of<ValueError>([&] { obtain_input_shape(given, requirements); }), row["error"].as_string());
    } else {
      EXPECT_EQ(obtain_input_shape(given, requirements), shape_of(row["result"]));
    }
    EXPECT_EQ(Json::array_from(warnings_), row["warnings"]);
  }
}

class DecodePredictions : public ::testing::Test {
 public:
  DecodePredictions() { std::filesystem::create_directories(folder_ / "models"); }
  ~DecodePredictions() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& text) const { std::ofstream(folder_ / "models" / "imagenet_class_index.json") << text; }

  /// Names for all classes.
  void write_all() const {
    Json index = Json::object();
    for (int i = 0; i < 1000; ++i) {
      index[std::to_string(i)] = Json::array({"n" + std::to_string(i), "thing " + std::to_string(i)});
    }
    write(index.dump());
  }

 protected:
  std::filesystem::path folder_ = std::filesystem::path(::testing::TempDir()) / "decode_predictions";
  test::EnvironmentVariable keras_home_{"KERAS_HOME", folder_.string()};
};

TEST_F(DecodePredictions, NamesTheHighestScores) {
  write_all();
  std::vector<float> scores(2000, 0.0F);
  scores[3] = 0.5F;
  scores[999] = 0.25F;
  scores[1000] = 1.0F;
  const auto results = decode_predictions(Tensor::from_data<float>({2, 1000}, scores), 2);
  ASSERT_EQ(results.size(), 2U);
  ASSERT_EQ(results[0].size(), 2U);
  EXPECT_EQ(results[0][0].class_name, "n3");
  EXPECT_EQ(results[0][0].class_description, "thing 3");
  EXPECT_EQ(results[0][0].score, 0.5);
  EXPECT_EQ(results[0][1].class_name, "n999");
  EXPECT_EQ(results[1][0].class_name, "n0");
  EXPECT_EQ(resnet::decode_predictions(Tensor::full({1, 1000}, 0.0, float32))[0].size(), 5U);
  EXPECT_EQ(decode_predictions(Tensor::full({1, 1000}, 0.0, float32), 2000)[0].size(), 1000U);
  EXPECT_TRUE(decode_predictions(Tensor::full({0, 1000}, 0.0, float32)).empty());
}

TEST_F(DecodePredictions, RefusesOtherShapesAndFiles) {
  const Tensor scores = Tensor::full({1, 1000}, 0.0, float32);
  EXPECT_EQ(message_of<ValueError>([] {
              decode_predictions(Tensor::full({1, 10}, 0.0, float32));
            }),
            "`decode_predictions` expects a batch of predictions (i.e. a 2D array of shape (samples, 1000)). Received "
            "array with shape: (1, 10)");
  EXPECT_EQ(message_of<ValueError>([&] { decode_predictions(scores, 0); }),
            "`top` must be a positive integer. Received: top=0");
  const test::EnvironmentVariable storage("RHYTON_KERAS_STORAGE", "file://" + (folder_ / "none").string());
  const std::string message = message_of<IOError>([&] { decode_predictions(scores); });
  EXPECT_TRUE(message.starts_with("The file imagenet_class_index.json is not in the folder " +
                                  (folder_ / "models").string() + ", and cannot download"))
      << message;
  EXPECT_TRUE(message.ends_with(
      "download it elsewhere from https://storage.googleapis.com/download.tensorflow.org/data/"
      "imagenet_class_index.json into that folder. Its MD5 checksum is c2c37ea517e94d9795004a39431a14cb."))
      << message;
  for (const char* const text : {"", "[]", "{}", R"({"0": "n0"})", R"({"0": ["n0"]})", R"({"0": ["n0", 1]})"}) {
    write(text);
    EXPECT_THROW(decode_predictions(scores), ValueError) << text;
  }
}

TEST(ValidateActivation, AllowsSoftmaxAndLogits) {
  validate_activation("softmax", "imagenet");
  validate_activation("linear", "imagenet");
  validate_activation({}, "imagenet");
  validate_activation("relu", std::nullopt);
  EXPECT_EQ(message_of<ValueError>([] { validate_activation("relu", "imagenet"); }),
            "Only `None` and `softmax` activations are allowed for the `classifier_activation` argument when using "
            "pretrained weights, with `include_top=True`; Received: classifier_activation=relu");
}

}  // namespace
}  // namespace rhyton::applications::imagenet_utils
