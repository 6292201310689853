// The arguments of the models: what is refused, where weights come from, images that come from other layers.

#include <cmath>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/applications/applications.h>
#include <rhyton/applications/base_efficientnet.h>
#include <rhyton/framework/context.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/io/json/json.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/warning.h>
#include <rhyton/layers/convolutional/conv2d.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/layers/merging/add.h>
#include <rhyton/layers/weights_to_come.h>
#include <rhyton/models/model.h>
#include <rhyton/tests/support/environment_variable.h>
#include <rhyton/tests/support/message_of.h>
#include <rhyton/tests/support/random_tensor.h>
#include <rhyton/tests/support/tensor_distance.h>

namespace rhyton::applications {
namespace {

using models::Model;
using test::message_of;

/// Keras's cache in a folder of its own.
class ApplicationWeights : public ::testing::Test {
 public:
  ApplicationWeights() {
    std::filesystem::create_directories(folder_ / "models");
    previous_ = config::set_warning_handler([this](const std::string& text) { warnings_.push_back(text); });
  }
  ~ApplicationWeights() override {
    config::set_warning_handler(previous_);
    std::filesystem::remove_all(folder_);
  }

  std::string cached(const std::string& file) const { return (folder_ / "models" / file).string(); }

 protected:
  std::filesystem::path folder_ = std::filesystem::path(::testing::TempDir()) / "application_weights";
  test::EnvironmentVariable keras_home_{"KERAS_HOME", folder_.string()};
  std::vector<std::string> warnings_;

 private:
  config::WarningHandler previous_;
};

void expect_equal_weights(const Model& a, const Model& b) {
  EXPECT_TRUE(test::same_bits(a.get_weights(), b.get_weights()));
}

TEST_F(ApplicationWeights, ComeFromTheCache) {
  const Model source = MobileNet(
      {.input_shape = {128, 128, 3}, .alpha = 0.25, .include_top = false, .weights = std::nullopt, .pooling = "max"});
  source.save(cached("mobilenet_2_5_128_tf_no_top.h5"));
  const Model model = MobileNet({.input_shape = {128, 128, 3}, .alpha = 0.25, .include_top = false});
  EXPECT_EQ(model.name(), "mobilenet_0.25_128");
  expect_equal_weights(model, source);
  EXPECT_TRUE(warnings_.empty());

  std::filesystem::rename(cached("mobilenet_2_5_128_tf_no_top.h5"), cached("mobilenet_2_5_224_tf_no_top.h5"));
  const Model other = MobileNet({.alpha = 0.25, .include_top = false});
  EXPECT_EQ(other.name(), "mobilenet_0.25_224");
  EXPECT_EQ(other.inputs().front().shape(), (Shape{-1, -1, -1, 3}));
  expect_equal_weights(other, source);
  EXPECT_EQ(warnings_,
            (std::vector<std::string>{
                "`input_shape` is undefined or non-square, or `rows` is not in [128, 160, 192, 224]. Weights "
                "for input shape (224, 224) will be loaded as the default."}));
}

TEST_F(ApplicationWeights, ComeFromAFile) {
  const Model source =
      MobileNetV3Small({.input_shape = {32, 32, 3}, .minimalistic = true, .weights = std::nullopt, .classes = 3});
  const std::string path = cached("mine.weights.h5");
  source.save_weights(path);
  const Model model =
      MobileNetV3Small({.input_shape = {32, 32, 3}, .minimalistic = true, .weights = path, .classes = 3});
  expect_equal_weights(model, source);
  const Tensor x = test::random_tensor({2, 32, 32, 3}, 1);
  EXPECT_TRUE(test::same_bits(model(x), source(x)));
  EXPECT_THROW(MobileNetV3Small({.input_shape = {32, 32, 3}, .minimalistic = true, .weights = path, .classes = 4}),
               ValueError);
}

std::vector<std::string> layer_names(const Model& model, std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) names.push_back(model.layers().at(i).class_name());
  return names;
}

TEST(EfficientNets, ScaleTheirImagesOnceMoreForTheWeightsOfImagenet) {
  const Model model = EfficientNetB0({.include_top = false, .weights = std::nullopt});
  EXPECT_EQ(layer_names(model, 4),
            (std::vector<std::string>{"InputLayer", "Rescaling", "Normalization", "ZeroPadding2D"}));

  const layers::Input image({.shape = {32, 32, 3}});
  const Model scaled({.inputs = image, .outputs = efficientnet_scaled(image, false)});
  const Model scaled_twice({.inputs = image, .outputs = efficientnet_scaled(image, true)});
  EXPECT_EQ(layer_names(scaled_twice, 4),
            (std::vector<std::string>{"InputLayer", "Rescaling", "Normalization", "Rescaling"}));
  const Tensor images = test::random_tensor({1, 32, 32, 3}, 1) * 100.0;
  const Tensor deviations = Tensor::from_data<float>({3}, {0.229F, 0.224F, 0.225F});
  EXPECT_LE(test::relative_distance(scaled_twice(images), scaled(images) / sqrt(deviations)), 1e-6);
}

TEST_F(ApplicationWeights, AreNamedIfTheyAreMissing) {
  const std::string folder = (folder_ / "models").string();
  const std::string host = "https://storage.googleapis.com/tensorflow/keras-applications/";
  const test::EnvironmentVariable storage("RHYTON_KERAS_STORAGE", "file://" + (folder_ / "none").string());
  const auto has = [&](const std::string& message, const std::string& file, const std::string& address) {
    EXPECT_TRUE(message.starts_with("The file " + file + " is not in the folder " + folder + ", ")) << message;
    EXPECT_NE(message.find(host + address + " into"), std::string::npos) << message;
  };
  const std::string of_vgg16 = message_of<IOError>([] { VGG16(); });
  has(of_vgg16, "vgg16_weights_tf_dim_ordering_tf_kernels.h5", "vgg16/vgg16_weights_tf_dim_ordering_tf_kernels.h5");
  EXPECT_TRUE(of_vgg16.ends_with(" Its MD5 checksum is 64373286793e3c8b2b4e3219cbf3544b.")) << of_vgg16;
  has(message_of<IOError>([] { ResNet50V2({.include_top = false}); }),
      "resnet50v2_weights_tf_dim_ordering_tf_kernels_notop.h5",
      "resnet/resnet50v2_weights_tf_dim_ordering_tf_kernels_notop.h5");
  has(message_of<IOError>([] {
        MobileNetV2({.input_shape = {96, 96, 3}, .alpha = 0.5});
      }),
      "mobilenet_v2_weights_tf_dim_ordering_tf_kernels_0.5_96.h5",
      "mobilenet_v2/mobilenet_v2_weights_tf_dim_ordering_tf_kernels_0.5_96.h5");
  has(message_of<IOError>([] { MobileNetV2({.include_top = false}); }),
      "mobilenet_v2_weights_tf_dim_ordering_tf_kernels_1.0_224_no_top.h5",
      "mobilenet_v2/mobilenet_v2_weights_tf_dim_ordering_tf_kernels_1.0_224_no_top.h5");
  has(message_of<IOError>([] { MobileNet(); }), "mobilenet_1_0_224_tf.h5", "mobilenet/mobilenet_1_0_224_tf.h5");
  has(message_of<IOError>([] { MobileNetV3Large({.minimalistic = true, .include_top = false}); }),
      "weights_mobilenet_v3_large_minimalistic_224_1.0_float_no_top_v2.h5",
      "mobilenet_v3/weights_mobilenet_v3_large_minimalistic_224_1.0_float_no_top_v2.h5");
  has(message_of<IOError>([] { NASNetMobile(); }), "nasnet_mobile.h5", "nasnet/NASNet-mobile.h5");
  has(message_of<IOError>([] { DenseNet201(); }), "densenet201_weights_tf_dim_ordering_tf_kernels.h5",
      "densenet/densenet201_weights_tf_dim_ordering_tf_kernels.h5");
  has(message_of<IOError>([] { InceptionResNetV2(); }), "inception_resnet_v2_weights_tf_dim_ordering_tf_kernels.h5",
      "inception_resnet_v2/inception_resnet_v2_weights_tf_dim_ordering_tf_kernels.h5");
  has(message_of<IOError>([] { EfficientNetV2B3({.include_top = false}); }), "efficientnetv2-b3_notop.h5",
      "efficientnet_v2/efficientnetv2-b3_notop.h5");
  has(message_of<IOError>([] { EfficientNetV2L({.name = "mine"}); }), "efficientnetv2-l.h5",
      "efficientnet_v2/efficientnetv2-l.h5");
  const std::string of_b7 = message_of<IOError>([] { EfficientNetB7(); });
  EXPECT_TRUE(of_b7.starts_with("The file efficientnetb7.h5 is not in the folder " + folder + ", ")) << of_b7;
  EXPECT_TRUE(
      of_b7.ends_with("from https://storage.googleapis.com/keras-applications/efficientnetb7.h5 into that "
                      "folder. Its MD5 checksum is 8c03f828fec3ef71311cd463b6759d99."))
      << of_b7;
  const std::string of_convnext = message_of<IOError>([] { ConvNeXtXLarge({.include_top = false}); });
  has(of_convnext, "convnext_xlarge_notop.h5", "convnext/convnext_xlarge_notop.h5");
  EXPECT_TRUE(
      of_convnext.ends_with(" Its SHA-256 checksum is "
                            "de3f8a54174130e0cecdc71583354753d557fcf1f4487331558e2a16ba0cfe05."))
      << of_convnext;
}

TEST_F(ApplicationWeights, FitTheOtherArguments) {
  EXPECT_EQ(message_of<ValueError>([] { VGG19({.weights = "nowhere.h5"}); }),
            "The `weights` argument should be either `None` (random initialization), 'imagenet' (pre-training on "
            "ImageNet), or the path to the weights file to be loaded.  Received: weights=nowhere.h5");
  EXPECT_EQ(message_of<ValueError>([] { ResNet50({.classes = 10}); }),
            "If using `weights='imagenet'` with `include_top=True`, `classes` should be 1000.  Received classes=10");
  EXPECT_EQ(message_of<ValueError>([] { MobileNet({.alpha = 0.3}); }),
            "If imagenet weights are being loaded, alpha can be one of`0.25`, `0.50`, `0.75` or `1.0` only.  Received "
            "alpha=0.3");
  EXPECT_EQ(message_of<ValueError>([] { MobileNet({.depth_multiplier = 2}); }),
            "If imagenet weights are being loaded, depth multiplier must be 1.  Received depth_multiplier=2");
  EXPECT_EQ(message_of<ValueError>([] { MobileNetV2({.alpha = 2}); }),
            "If imagenet weights are being loaded, alpha must be one of `0.35`, `0.50`, `0.75`, `1.0`, `1.3` or `1.4` "
            "only; Received `alpha=2.0`");
  EXPECT_EQ(message_of<ValueError>([] { MobileNetV3Small({.alpha = 0.75, .minimalistic = true}); }),
            "If imagenet weights are being loaded, alpha can be one of `0.75`, `1.0` for non minimalistic or `1.0` for "
            "minimalistic only.");
  EXPECT_EQ(message_of<ValueError>([] {
              NASNetLarge({.input_shape = {-1, 64, 3}, .include_top = false});
            }),
            "When specifying the input shape of a NASNet and loading `ImageNet` weights, the input_shape argument must "
            "be static (no None entries). Got: `input_shape=(None, 64, 3)`.");
  EXPECT_THROW(VGG16({.classifier_activation = "relu"}), ValueError);
}

TEST(ApplicationOptions, AreChecked) {
  EXPECT_EQ(message_of<ValueError>([] {
              VGG16({.weights = std::nullopt, .input_shape = {16, 32, 3}});
            }),
            "Input size must be at least 32x32; Received: input_shape=(16, 32, 3)");
  EXPECT_EQ(message_of<ValueError>([] {
              Xception({.weights = std::nullopt, .input_shape = {70, 80, 3}});
            }),
            "Input size must be at least 71x71; Received: input_shape=(70, 80, 3)");
  EXPECT_EQ(message_of<ValueError>([] {
              MobileNetV3Small({.input_shape = {31, 64, 3}, .weights = std::nullopt});
            }),
            "Input size must be at least 32x32; Received `input_shape=(31, 64, 3)`");
  for (const Shape& shape : {Shape{32}, Shape{32, 32}, Shape{32, 32, 3, 1}}) {
    const std::string message = "`input_shape` must be a tuple of three integers.";
    EXPECT_EQ(message_of<ValueError>([&] { ResNet50({.weights = std::nullopt, .input_shape = shape}); }), message);
    EXPECT_EQ(message_of<ValueError>([&] { MobileNet({.input_shape = shape, .weights = std::nullopt}); }), message);
    EXPECT_EQ(message_of<ValueError>([&] { MobileNetV2({.input_shape = shape, .weights = std::nullopt}); }), message);
    EXPECT_EQ(message_of<ValueError>([&] { MobileNetV3Small({.input_shape = shape, .weights = std::nullopt}); }),
              message);
  }
  EXPECT_THROW(VGG16({.weights = std::nullopt, .pooling = "mean"}), ValueError);
  EXPECT_THROW(MobileNetV3Small({.weights = std::nullopt, .classes = 0}), ValueError);
  for (const double alpha : {0.0, -1.0, 1e300, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_THROW(MobileNet({.alpha = alpha, .weights = std::nullopt}), ValueError) << alpha;
  }
  EXPECT_THROW(MobileNetV2({.alpha = 1e300, .weights = std::nullopt}), ValueError);
  EXPECT_THROW(MobileNetV3Large({.alpha = std::numeric_limits<double>::infinity(), .weights = std::nullopt}),
               ValueError);
  EXPECT_THROW(MobileNetV3Small({.input_shape = {-1, -1, -1}, .weights = std::nullopt}), ValueError);
}

TEST(ApplicationOptions, RefuseChannelsFirstWhereKerasDoes) {
  config::set_image_data_format("channels_first");
  EXPECT_EQ(message_of<ValueError>([] { DenseNet121({.weights = std::nullopt}); }),
            "DenseNet does not support the `channels_first` image data format. Switch to `channels_last` by editing "
            "your local config file at ~/.keras/keras.json");
  EXPECT_EQ(message_of<ValueError>([] { NASNetMobile({.weights = std::nullopt}); }),
            "NASNet does not support the `channels_first` image data format. Switch to `channels_last` by editing your "
            "local config file at ~/.keras/keras.json");
  EXPECT_EQ(message_of<ValueError>([] { ConvNeXtBase({.weights = std::nullopt}); }),
            "ConvNeXt does not support the `channels_first` image data format. Switch to `channels_last` by editing "
            "your local config file at ~/.keras/keras.json");
  config::set_image_data_format("channels_last");
}

TEST(ApplicationOptions, NameTheLayersOfConvNeXts) {
  const layers::WeightsToCome zeros;  // random ones would take most of the time
  const Model model =
      ConvNeXtTiny({.include_top = false, .include_preprocessing = false, .weights = std::nullopt, .name = "mine"});
  EXPECT_EQ(model.name(), "mine");
  EXPECT_EQ(model.layers().at(1).name(), "mine_stem");
  EXPECT_EQ(model.get_layer("mine_stage_2_block_8_layer_scale").class_name(), "LayerScale");
  EXPECT_THROW(ConvNeXtTiny({.weights = std::nullopt, .input_shape = {31, 32, 3}}), ValueError);
}

TEST(ApplicationOptions, TakeATensorAsTheImage) {
  const layers::Input first({.shape = {32, 32, 3}, .name = "first"});
  const layers::Input second({.shape = {32, 32, 3}, .name = "second"});
  const layers::SymbolicTensor images = layers::Add({.name = "both"})({first, second});
  const Model model =
      MobileNetV3Small({.minimalistic = true, .include_top = false, .weights = std::nullopt, .input_tensor = images});
  EXPECT_EQ(model.input_names(), (std::vector<std::string>{"first", "second"}));
  EXPECT_EQ(model.get_layer("both").class_name(), "Add");
  EXPECT_EQ(model.outputs().front().shape(), (Shape{-1, 1, 1, 576}));
  const Tensor a = test::random_tensor({1, 32, 32, 3}, 1);
  const Tensor b = test::random_tensor({1, 32, 32, 3}, 2);
  const Model of_image =
      MobileNetV3Small({.minimalistic = true, .include_top = false, .weights = std::nullopt, .input_tensor = first});
  of_image.set_weights(model.get_weights());
  EXPECT_TRUE(test::same_bits(model(std::vector<Tensor>{a, b}), of_image(a + b)));
}

TEST(ApplicationOptions, OfMobileNetsMustFitTheTensor) {
  const layers::Input image({.shape = {96, 96, 3}});
  const Model model = MobileNetV2({.weights = std::nullopt, .input_tensor = image, .classes = 2});
  EXPECT_EQ(model.name(), "mobilenetv2_1.00_96");
  EXPECT_EQ(message_of<ValueError>([&] {
              MobileNetV2({.input_shape = {96, 64, 3}, .weights = std::nullopt, .input_tensor = image});
            }),
            "input_tensor.shape[2] must equal input_shape[1]; Received `input_tensor.shape=(None, 96, 96, 3)`, "
            "`input_shape=(96, 64, 3)`");
  EXPECT_EQ(message_of<ValueError>([&] {
              MobileNetV3Small({.input_shape = {96, 64, 3}, .weights = std::nullopt, .input_tensor = image});
            }),
            "input_shape[1] must equal input_tensor.shape[2].  Received input_shape=(96, 64, 3), "
            "input_tensor.shape=(None, 96, 96, 3)");
}

}  // namespace
}  // namespace rhyton::applications
