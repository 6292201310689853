// The program transfer_learning: a network that Keras trained on the digits 0 to 6 learns 7, 8 and 9.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/applications/mobilenet_v2.h>
#include <rhyton/datasets/image.h>
#include <rhyton/datasets/image_dataset.h>
#include <rhyton/datasets/mnist.h>
#include <rhyton/framework/context.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/matmul.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/tensor/tensor.h>
#include <rhyton/models/callbacks/logs.h>
#include <rhyton/models/model.h>
#include <rhyton/tests/apps/programs.h>
#include <rhyton/tests/support/tensor_distance.h>

namespace rhyton {
namespace {

using test::number_after;
using test::Outcome;
using ::testing::HasSubstr;

std::string keras_file(const std::string& name) { return std::string(RHYTON_GOLDEN_DIR) + "/keras_files/" + name; }

double accuracy(const std::string& stage, const Outcome& outcome) {
  return number_after("\n" + stage + ": accuracy ", outcome.output);
}

double loss(const std::string& stage, const Outcome& outcome) {
  const std::size_t line = outcome.output.find("\n" + stage + ": accuracy ");
  return number_after(", loss ", outcome.output.substr(std::min(line, outcome.output.size())));
}

class TransferLearning : public test::Programs {
 protected:
  /// Writes the first images of 7, 8 and 9 to "digits", so many of each.
  void write_digits(int images_of_each) const {
    const datasets::ImageData digits = datasets::mnist::load_data().train;
    std::array<int, 10> written = {};
    for (const int digit : {7, 8, 9}) std::filesystem::create_directories(path("digits/" + std::to_string(digit)));
    for (std::int64_t i = 0; i < digits.labels.size(); ++i) {
      const auto digit = digits.labels.data<std::uint8_t>()[i];
      if (digit < 7 || written.at(digit) == images_of_each) continue;
      const std::string name = std::to_string(digit) + "/" + std::to_string(written.at(digit)++) + ".png";
      datasets::save_img(path("digits/" + name), digits.images.slice(i, i + 1).reshape({28, 28, 1}), {.scale = false});
    }
  }

  Outcome transfer_learning(const std::string& options) const {
    Outcome outcome = run("transfer_learning " + path("digits") + " " + options);
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
    EXPECT_EQ(outcome.errors, "");
    return outcome;
  }

  /// The base in the model that the program has written to that file.
  models::Model base_in(const std::string& file, const std::string& name) const {
    return models::Model::from_layer(models::load_model(path(file)).get_layer(name));
  }
};

TEST_F(TransferLearning, TheHeadLearnsAndTheBaseStaysAsItIs) {
  write_digits(20);
  const Outcome outcome = transfer_learning("--base " + keras_file("digits_0_to_6.keras") +
                                            " --epochs 2 --fine-tuning-epochs 0 --save " + path("head.keras"));
  EXPECT_THAT(outcome.output, HasSubstr(" Trainable params: 195 (780.00 B)\n Non-trainable params: 23,632 "));
  EXPECT_NE(loss("trained head", outcome), loss("new head", outcome));
  const models::Model base = base_in("head.keras", "digits_0_to_6");
  EXPECT_FALSE(base.trainable());
  EXPECT_TRUE(test::same_bits(base.get_weights(), models::load_model(keras_file("digits_0_to_6.keras")).get_weights()));
}

TEST_F(TransferLearning, FineTuningChangesAllWeightsButTheAverages) {
  write_digits(20);
  const Outcome outcome =
      transfer_learning("--base " + keras_file("digits_0_to_6.keras") +
                        " --epochs 1 --fine-tuning-epochs 1 --fine-tuning-rate 1e-3 --save " + path("tuned.keras"));
  EXPECT_THAT(outcome.output, HasSubstr(" Trainable params: 23,603 (92.20 KB)\n Non-trainable params: 224 "));
  const models::Model base = base_in("tuned.keras", "digits_0_to_6");
  const models::Model before = models::load_model(keras_file("digits_0_to_6.keras"));
  ASSERT_EQ(base.trainable_weights().size(), 9);
  for (std::size_t i = 0; i < 9; ++i) {
    EXPECT_FALSE(test::same_bits(base.trainable_weights()[i].value(), before.trainable_weights()[i].value()))
        << before.trainable_weights()[i].path();
  }
  ASSERT_EQ(base.non_trainable_weights().size(), 6);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_TRUE(test::same_bits(base.non_trainable_weights()[i].value(), before.non_trainable_weights()[i].value()))
        << before.non_trainable_weights()[i].path();
  }
}

TEST_F(TransferLearning, ThirtyImagesOfEachDigitSuffice) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "Takes minutes under sanitizers; the other tests train for an epoch or two there.";
#endif
  write_digits(150);
  const std::string options = " --validation-split 0.8 --epochs 30 --learning-rate 0.03 --fine-tuning-rate 1e-3";
  const Outcome outcome = transfer_learning("--base " + keras_file("digits_0_to_6.keras") + options +
                                            " --fine-tuning-epochs 10 --save " + path("tuned.keras"));
  EXPECT_THAT(outcome.output, HasSubstr("Using 90 files for training.\nUsing 360 files for validation.\n"));
  EXPECT_LT(accuracy("new head", outcome), 0.6);  // guessing has an accuracy of 1/3
  EXPECT_GT(accuracy("trained head", outcome), 0.75);
  EXPECT_GT(accuracy("fine-tuned", outcome), 0.82);
  EXPECT_GE(accuracy("fine-tuned", outcome), accuracy("trained head", outcome));
  EXPECT_LT(loss("fine-tuned", outcome), loss("trained head", outcome));

  // The saved model is the one that was validated.
  const models::Model model = models::load_model(path("tuned.keras"));
  const auto validation =
      datasets::image_datasets_from_directory(
          path("digits"),
          {.color_mode = "grayscale", .image_size = {28, 28}, .seed = 1, .validation_split = 0.8, .verbose = false})
          .validation;
  const callbacks::Logs logs = model.evaluate(validation, {.verbose = 0});
  EXPECT_NEAR(logs.at("accuracy"), accuracy("fine-tuned", outcome), 1e-5);
  EXPECT_NEAR(logs.at("loss"), loss("fine-tuned", outcome), 1e-5);

  // What the head learns from features of the same network with random weights.
  set_random_seed(1);
  models::model_from_json(models::load_model(keras_file("digits_0_to_6.keras")).to_json()).save(path("random.keras"));
  const Outcome random = transfer_learning("--base " + path("random.keras") + options + " --fine-tuning-epochs 0");
  EXPECT_LT(accuracy("trained head", random), accuracy("trained head", outcome) - 0.15);
}

TEST_F(TransferLearning, MobileNetV2HasTheWeightsOfAFile) {
  write_digits(6);
  set_random_seed(1);
  const models::Model mobilenet =
      applications::MobileNetV2({.input_shape = {32, 32, 3}, .include_top = false, .weights = std::nullopt});
  mobilenet.save_weights(path("mobilenet.weights.h5"));
  transfer_learning("--weights " + path("mobilenet.weights.h5") +
                    " --image-size 32 --epochs 1 --fine-tuning-epochs 0 --save " + path("head.keras"));
  const models::Model model = models::load_model(path("head.keras"));
  EXPECT_TRUE(test::same_bits(base_in("head.keras", "mobilenetv2_1.00_32").get_weights(), mobilenet.get_weights()));

  // Pixels from 0 to 255 are scaled to [-1, 1].
  const Tensor image = datasets::img_to_array(datasets::load_img(path("digits/7/0.png"), {.target_size = {32, 32}}));
  const Tensor x = image.reshape({1, 32, 32, 3});
  const std::vector<Tensor> dense = model.get_layer(-1).get_weights();
  const Tensor features = mean(mobilenet.predict(x / 127.5 - 1.0, {.verbose = 0}), {1, 2});
  test::expect_close_to_largest(model.predict(x, {.verbose = 0}), matmul(features, dense[0]) + dense[1], 1e-5);
}

TEST_F(TransferLearning, RefusesWhatItCannotUse) {
  write_digits(2);
  const std::string digits = "transfer_learning " + path("digits");
  const Outcome classifier = run(digits + " --base " + keras_file("digits.keras"));
  EXPECT_EQ(classifier.status, 1);
  EXPECT_THAT(classifier.errors, HasSubstr("transfer_learning: \"" + keras_file("digits.keras") +
                                           "\" does not make feature maps, [batch, height, width, channels], of "
                                           "images: its output has the shape (None, 10)"));
  const Outcome no_base = run(digits + " --base nowhere.keras");
  EXPECT_EQ(no_base.status, 1);
  EXPECT_THAT(no_base.errors, HasSubstr("nowhere.keras"));
  const Outcome no_images = run("transfer_learning nowhere --base " + keras_file("digits_0_to_6.keras"));
  EXPECT_EQ(no_images.status, 1);
  EXPECT_THAT(no_images.errors, HasSubstr("nowhere"));
  for (const char* const options : {" --base x.keras --weights y.h5", " --preprocessing imagenet", " --epochs 0"}) {
    EXPECT_GT(run(digits + options).status, 1) << options;
  }
}

}  // namespace
}  // namespace rhyton
