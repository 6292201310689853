// Images instead of arrays.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <rhyton/tests/apps/rhyton/rhyton_tool.h>

namespace rhyton::test {
namespace {

class Images : public RhytonTool {
 protected:
  /// A picture of an MNIST digit.
  std::string digit(std::int64_t index) const {
    const Tensor image = datasets::mnist::load_data().test.images.slice(index, index + 1).reshape({28, 28, 1});
    datasets::save_img(path("digit" + std::to_string(index) + ".png"), image.cast(float32), {.scale = false});
    return path("digit" + std::to_string(index) + ".png");
  }
};

TEST_F(Images, AreABatch) {
  const Tensor pixels = datasets::mnist::load_data().test.images.slice(0, 3).reshape({3, 28, 28, 1}).cast(float32);
  const Tensor expected = models::load_model(golden("digits.keras")).predict(pixels, {.verbose = 0});
  output_of("predict " + golden("digits.keras") + " --input " + digit(0) + " --input " + digit(1) + " --input " +
            digit(2) + " --output " + path("y.npy"));
  expect_same_tensor(io::read_npy(path("y.npy")), expected);
  const models::Model model = models::load_model(golden("digits.keras"));
  const std::string name = model.input_names()[0];
  output_of("predict " + golden("digits.keras") + " --input " + name + "=" + digit(0) + " --input " + name + "=" +
            digit(1) + " --input " + name + "=" + digit(2) + " --output " + path("y.npy"));
  expect_same_tensor(io::read_npy(path("y.npy")), expected);
}

TEST_F(Images, AreBroughtToTheSizeAndColoursOfTheInput) {
  datasets::save_img(path("large.jpg"), Tensor::full({60, 40, 3}, 128), {.scale = false});
  const Tensor image = datasets::img_to_array(datasets::load_img(
      path("large.jpg"), {.color_mode = "grayscale", .target_size = {28, 28}, .interpolation = "bilinear"}));
  const Outcome outcome =
      rhyton("predict " + golden("digits.keras") + " --input " + path("large.jpg") + " --output " + path("y.npy"));
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  expect_same_tensor(io::read_npy(path("y.npy")),
                     models::load_model(golden("digits.keras")).predict(image.reshape({1, 28, 28, 1}), {.verbose = 0}));
  EXPECT_EQ(outcome.errors, "rhyton: warning: Resized " + path("large.jpg") +
                                " from 60x40 to 28x28, which changes its proportions (height x width)\n");
}

TEST_F(Images, ThatAreResizedAreNamedTheFirstOfThemAtLeast) {
  std::string inputs;
  for (int i = 0; i < 5; ++i) {
    const std::string file = path("even" + std::to_string(i) + ".png");
    datasets::save_img(file, Tensor::full({56, 56, 1}, 50.0 * i), {.scale = false});
    inputs += " --input " + file;
  }
  const Outcome outcome = rhyton("predict " + golden("digits.keras") + inputs + " --input " + digit(0) + " --json");
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_EQ(lines_of(outcome.errors).size(), 1u) << outcome.errors;
  EXPECT_THAT(outcome.errors, ::testing::HasSubstr("even0.png from 56x56 to 28x28, "));
  EXPECT_THAT(outcome.errors, ::testing::HasSubstr("even2.png from 56x56 to 28x28, and 2 more images"));
}

/// The digits that the tool predicts.
std::vector<std::int64_t> answers(const Tensor& y) {
  std::vector<std::int64_t> digits;
  for (std::int64_t i = 0; i < y.shape()[0]; ++i) {
    const float* const row = y.data<float>() + i * y.shape()[1];
    digits.push_back(std::max_element(row, row + y.shape()[1]) - row);
  }
  return digits;
}

class TrainedOnDigits : public Images {
 protected:
  /// The model of the README; without its Rescaling it is trained on numbers from 0 to 1.
  static models::Sequential train(bool scales_itself) {
    set_random_seed(3);
    models::Sequential model;
    model.add(layers::Input({.shape = {28, 28, 1}}));
    if (scales_itself) model.add(layers::Rescaling(1.0 / 255));
    for (const layers::Layer& layer :
         std::vector<layers::Layer>{layers::Conv2D(32, {3, 3}, {.activation = "relu"}), layers::MaxPooling2D({2, 2}),
                                    layers::Flatten(), layers::Dense(10)}) {
      model.add(layer);
    }
    model.compile({.optimizer = optimizers::Adam({.learning_rate = 1e-3}),
                   .loss = losses::SparseCategoricalCrossentropy({.from_logits = true}),
                   .metrics = {"accuracy"}});
    const datasets::ImageData digits = datasets::mnist::load_data().train;
    const Tensor x = digits.images.slice(0, 6000).reshape({-1, 28, 28, 1}).cast(float32);
    model.fit(scales_itself ? x : x * (1.0 / 255), digits.labels.slice(0, 6000), {.batch_size = 64, .verbose = 0});
    return model;
  }

  /// Pictures of the first test digits, and their labels.
  static constexpr std::int64_t count = 20;
  std::string pictures() const {
    std::string inputs;
    for (std::int64_t i = 0; i < count; ++i) inputs += " --input " + digit(i);
    return inputs;
  }
  static void expect_mostly_right(const std::vector<std::int64_t>& answers) {
    const Tensor labels = datasets::mnist::load_data().test.labels.slice(0, count);
    int right = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      if (static_cast<double>(answers[static_cast<std::size_t>(i)]) == labels.slice(i, i + 1).cast(float64).item()) {
        ++right;
      }
    }
    EXPECT_GE(right, 18);
  }
};

TEST_F(TrainedOnDigits, TheModelOfTheReadmeKnowsPictures) {
  const models::Sequential model = train(true);
  model.save(path("mnist.keras"));
  const std::string predict = "predict " + path("mnist.keras");
  output_of(predict + pictures() + " --output " + path("y.npy"));
  const Tensor y = io::read_npy(path("y.npy"));
  const Tensor pixels = datasets::mnist::load_data().test.images.slice(0, count).reshape({-1, 28, 28, 1});
  expect_same_tensor(y, model.predict(pixels.cast(float32), {.verbose = 0}));
  expect_mostly_right(answers(y));
  // A larger picture of the same digit.
  const Tensor image = datasets::load_img(digit(2), {.color_mode = "grayscale", .target_size = {56, 56}});
  datasets::save_img(path("one.png"), datasets::img_to_array(image), {.scale = false});
  const Outcome outcome = rhyton(predict + " --input " + path("one.png") + " --output " + path("one.npy"));
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_THAT(outcome.errors, ::testing::HasSubstr("one.png from 56x56 to 28x28"));
  EXPECT_EQ(answers(io::read_npy(path("one.npy"))), std::vector<std::int64_t>{1});
}

TEST_F(TrainedOnDigits, AModelThatDoesNotScaleIsAskedFor) {
  const models::Sequential model = train(false);
  model.save(path("unscaled.keras"));
  const std::string predict = "predict " + path("unscaled.keras");
  expect_failure(predict + " --json --input " + digit(0), error, "--scale 1/255");
  expect_failure(predict + " --json --input " + digit(0), error, digit(0));
  output_of(predict + pictures() + " --scale 1/255 --output " + path("y.npy"));
  const Tensor pixels = datasets::mnist::load_data().test.images.slice(0, count).reshape({-1, 28, 28, 1}).cast(float32);
  expect_same_tensor(io::read_npy(path("y.npy")), model.predict(pixels * (1.0 / 255), {.verbose = 0}));
  expect_mostly_right(answers(io::read_npy(path("y.npy"))));
  // Used unscaled only if the option says so.
  output_of(predict + " --scale 1 --input " + digit(0) + " --output " + path("y.npy"));
  expect_same_tensor(io::read_npy(path("y.npy")), model.predict(pixels.slice(0, 1), {.verbose = 0}));
  // The scaling of arrays is not checked; --scale applies to them in the same way.
  io::write_npy(path("bytes.npy"), datasets::mnist::load_data().test.images.slice(0, 2).reshape({-1, 28, 28, 1}));
  output_of(predict + " --scale 1/255 --input " + path("bytes.npy") + " --output " + path("y.npy"));
  expect_same_tensor(io::read_npy(path("y.npy")), model.predict(pixels.slice(0, 2) * (1.0 / 255), {.verbose = 0}));
  // Any layers before the weights that leave the values unchanged.
  const models::Sequential flat({layers::Input({.shape = {28, 28, 1}}), layers::Dropout(0.5), layers::Flatten(),
                                 models::Sequential({layers::Input({.shape = {784}}), layers::Dense(2)})});
  flat.save(path("flat.keras"));
  expect_failure("predict " + path("flat.keras") + " --json --input " + digit(0), error, "--scale 1/255");
  const models::Sequential normalized(
      {layers::Input({.shape = {28, 28, 1}}), layers::BatchNormalization(), layers::Flatten(), layers::Dense(2)});
  normalized.save(path("normalized.keras"));
  output_of("predict " + path("normalized.keras") + " --json --input " + digit(0));
}

TEST_F(Images, AScaleIsANumberForOneInput) {
  const std::string digits = "predict " + golden("digits.keras") + " --json --input " + digit(0) + " --scale ";
  for (const char* const scale : {"a", "1/", "/255", "1/0", "0", "nan", "inf", "1/2/3", "other=1", "1x"}) {
    expect_failure(digits + scale, wrong_usage, "--scale");
  }
  const io::Json expected = json_of("predict " + golden("digits.keras") + " --input " + digit(0) + " --scale 0.5");
  const std::string name = models::load_model(golden("digits.keras")).input_names()[0];
  EXPECT_EQ(json_of("predict " + golden("digits.keras") + " --input " + digit(0) + " --scale " + name + "=1/2"),
            expected);
  // With several inputs the name selects the input.
  const std::vector<Tensor> x = {golden_array("two_inputs", "input0"), golden_array("two_inputs", "input1")};
  io::write_npz(path("both.npz"), {{"numbers", x[0]}, {"words", x[1]}});
  const std::string both = "predict " + golden("two_inputs.keras") + " --input " + path("both.npz") + " --scale ";
  expect_failure(both + "0.5 --json", wrong_usage, "NAME=0.5");
  output_of(both + "numbers=0.5 --output " + path("y.npz"));
  const std::vector<Tensor> y =
      models::load_model(golden("two_inputs.keras")).predict_many({x[0] * 0.5, x[1]}, {.verbose = 0});
  expect_same_tensor(io::read_npz(path("y.npz"), "value"), y[0]);
}

TEST_F(Images, WhatIsInTheTransparencyAloneIsNotSeenAndRefused) {
  Tensor drawing = Tensor::zeros({28, 28, 4});
  for (std::int64_t row = 5; row < 20; ++row) drawing.mutable_data<float>()[(row * 28 + 14) * 4 + 3] = 255;
  datasets::save_img(path("black_on_nothing.png"), drawing, {.scale = false});
  const std::string predict = "predict " + golden("digits.keras") + " --json --input ";
  expect_failure(predict + path("black_on_nothing.png"), error, "black_on_nothing.png: its content is only in its");
  // White on transparent black: visible without alpha.
  for (std::int64_t row = 5; row < 20; ++row) drawing.mutable_data<float>()[(row * 28 + 14) * 4] = 255;
  datasets::save_img(path("red_on_nothing.png"), drawing, {.scale = false});
  output_of(predict + path("red_on_nothing.png"));
}

TEST_F(Images, DamagedOnesAndInputsThatTakeNoneAreNamed) {
  const std::string half = half_of(digit(0), "half.png");
  expect_failure("predict " + golden("digits.keras") + " --input " + half + " --json", error, half);
  expect_failure("predict " + golden("digits.keras") + " --input " + path("none.png") + " --json", error,
                 path("none.png"));
  expect_failure("predict " + golden("dense.keras") + " --input " + digit(0) + " --json", error, "(None, 6)");
}

}  // namespace
}  // namespace rhyton::test
