// The programs in apps/, started as a user does.

#include <cstddef>
#include <regex>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/datasets/mnist.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/models/callbacks/logs.h>
#include <rhyton/models/model.h>
#include <rhyton/tests/apps/programs.h>

namespace rhyton {
namespace {

using test::Outcome;
using ::testing::HasSubstr;

class Apps : public test::Programs {};

/// The numbers at the end of a line, "accuracy: 0.3 - loss: 2.2 - …".
std::string metrics_of(const std::string& line) {
  const std::size_t at = line.find("accuracy: ");
  return at == std::string::npos ? "" : line.substr(at);
}

double value_of(const std::string& name, const std::string& line) {
  const std::size_t at = line.find(" " + name + ": ");
  return at == std::string::npos ? -1 : std::stod(line.substr(at + name.size() + 3));
}

const char* const metrics_pattern =
    R"(accuracy: 0\.\d{4} - loss: \d\.\d{4} - val_accuracy: 0\.\d{4} - val_loss: \d\.\d{4})";

TEST_F(Apps, MnistCnnTrainsShowsAndSaves) {
  const Outcome bar = run("mnist_cnn --limit 640 --epochs 1 --seed 1 --save " + path("digits.keras"));
  EXPECT_EQ(bar.status, 0) << bar.errors;
  EXPECT_EQ(bar.errors, "");
  EXPECT_THAT(bar.output, HasSubstr("Model: \"sequential\"\n"));
  EXPECT_THAT(bar.output, HasSubstr(" Total params: 93,322 (364.54 KB)\n"));
  ASSERT_FALSE(bar.lines().empty());
  const std::string last = bar.lines().back();
  EXPECT_TRUE(std::regex_match(last, std::regex(R"(10/10 (━){20} \d+s \d+m?s/step - )" + std::string(metrics_pattern))))
      << last;
  // It learns: guessing has an accuracy of 0.1.
  EXPECT_GT(value_of("val_accuracy", last), 0.2) << last;

  // The saved model is the one that was validated.
  const models::Model model = models::load_model(path("digits.keras"));
  const datasets::Splits digits = datasets::mnist::load_data();
  const callbacks::Logs logs =
      model.evaluate(digits.test.images.reshape({-1, 28, 28, 1}).cast(float32), digits.test.labels, {.verbose = 0});
  EXPECT_NEAR(logs.at("accuracy"), value_of("val_accuracy", last), 1e-4);
  EXPECT_NEAR(logs.at("loss"), value_of("val_loss", last), 1e-4);

  // The same numbers in one line per epoch, on any number of threads.
  const Outcome quiet = run("mnist_cnn --limit 640 --epochs 1 --seed 1 --quiet", "RHYTON_NUM_THREADS=1");
  EXPECT_EQ(quiet.status, 0) << quiet.errors;
  ASSERT_EQ(quiet.lines().size(), 1) << quiet.output;
  EXPECT_TRUE(std::regex_match(quiet.output,
                               std::regex(R"(10/10 - \d+s - \d+m?s/step - )" + std::string(metrics_pattern) + "\n")))
      << quiet.output;
  EXPECT_EQ(metrics_of(quiet.lines().front()), metrics_of(last));
}

TEST_F(Apps, MnistCnnShowsWhereTheTimeWent) {
  const Outcome outcome = run("mnist_cnn --limit 128 --epochs 1 --quiet --profile " + path("trace.json"));
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_THAT(outcome.output, HasSubstr("\nFusedConv2D(activation=relu"));
  EXPECT_THAT(outcome.output, HasSubstr("\ntrain_function, batch 64 "));
  EXPECT_THAT(test::content_of(path("trace.json")), HasSubstr("\"name\":\"train_function\",\"cat\":\"step\""));
}

TEST_F(Apps, MnistCnnShowsEachEpochOnce) {
  const Outcome outcome = run("mnist_cnn --limit 128 --batch-size 32 --epochs 2 --learning-rate 0.01 --device /CPU:0");
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  const std::vector<std::string> lines = outcome.lines();
  ASSERT_GE(lines.size(), 4);
  const std::vector<std::string> tail(lines.end() - 4, lines.end());
  EXPECT_EQ(tail[0], "Epoch 1/2");
  EXPECT_EQ(tail[1].substr(0, 4), "4/4 ");
  EXPECT_EQ(tail[2], "Epoch 2/2");
  EXPECT_EQ(tail[3].substr(0, 4), "4/4 ");
  EXPECT_EQ(outcome.output.find('\r'), std::string::npos) << "drawn over itself though it is no terminal";
  EXPECT_EQ(outcome.output.find('\x1b'), std::string::npos) << "coloured though it is no terminal";
}

TEST_F(Apps, MnistCnnExplainsItself) {
  const Outcome outcome = run("mnist_cnn --help");
  EXPECT_EQ(outcome.status, 0);
  for (const char* const option : {"--epochs", "--batch-size", "--learning-rate", "--seed", "--device", "--limit",
                                   "--save", "--profile", "--quiet"}) {
    EXPECT_THAT(outcome.output, HasSubstr(option));
  }
}

TEST_F(Apps, MnistCnnRefusesBadOptions) {
  for (const char* const options :
       {"--nonsense", "--epochs many", "--limit 0", "--limit -3", "--learning-rate", "--batch-size 0 --limit 64",
        "--device /GPU:99", "--device nonsense", "--limit 64 --epochs 1 --quiet --save nowhere.txt"}) {
    const Outcome outcome = run(std::string("mnist_cnn ") + options);
    EXPECT_GT(outcome.status, 0) << options;
    EXPECT_LT(outcome.status, 126) << options;
    EXPECT_FALSE(outcome.errors.empty()) << options;
  }
  EXPECT_THAT(run("mnist_cnn --batch-size 0").errors, HasSubstr("--batch-size: Value 0 not in range 1 to 60000"));
  EXPECT_THAT(run("mnist_cnn --device /GPU:99").errors, HasSubstr("mnist_cnn: "));
  EXPECT_THAT(run("mnist_cnn --nonsense").errors, HasSubstr("--nonsense"));
}

TEST_F(Apps, CustomLayerLearns) {
  const Outcome outcome = run("custom_layer");
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_EQ(outcome.errors, "");
  std::smatch numbers;
  ASSERT_TRUE(std::regex_match(outcome.output, numbers, std::regex("mean squared error: (.+) -> (.+)\n")))
      << outcome.output;
  EXPECT_GT(std::stod(numbers[1]), 0.1);
  EXPECT_LT(std::stod(numbers[2]), 0.01);
}

TEST_F(Apps, CustomOpComputesRootsAndTheirDerivatives) {
  const Outcome outcome = run("custom_op");
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_EQ(outcome.errors, "");
  std::smatch slopes;
  ASSERT_TRUE(std::regex_match(outcome.output, slopes,
                               std::regex(R"(y      = tf\.Tensor\(\[1\. 2\. 3\.\], shape=\(3,\), dtype=float32\)
dy/dx = tf\.Tensor\(\[(\S+) (\S+) (\S+)\], shape=\(3,\), dtype=float32\)
)"))) << outcome.output;
  EXPECT_NEAR(std::stod(slopes[1]), 1.0 / 3, 1e-6);
  EXPECT_NEAR(std::stod(slopes[2]), 1.0 / 12, 1e-6);
  EXPECT_NEAR(std::stod(slopes[3]), 1.0 / 27, 1e-6);
}

TEST_F(Apps, CustomTrainingLoopSeparatesThePoints) {
  const Outcome outcome = run("custom_training_loop");
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_EQ(outcome.errors, "");
  const std::vector<std::string> lines = outcome.lines();
  ASSERT_EQ(lines.size(), 6) << outcome.output;
  double last = 1;
  for (int i = 0; i < 5; ++i) {
    std::smatch numbers;
    const std::string& line = lines[static_cast<std::size_t>(i)];
    ASSERT_TRUE(std::regex_match(line, numbers, std::regex(R"(step (\d+): loss (\S+))"))) << line;
    EXPECT_EQ(std::stoi(numbers[1]), 20 * i);
    EXPECT_LT(std::stod(numbers[2]), last);
    last = std::stod(numbers[2]);
  }
  EXPECT_EQ(lines[5].substr(0, 9), "accuracy ");
  EXPECT_GT(std::stod(lines[5].substr(9)), 0.9);
}

TEST_F(Apps, PredictDigitKnowsDrawnDigits) {
  const Outcome training = run("mnist_cnn --limit 20000 --epochs 1 --seed 1 --quiet --save " + path("digits.keras"));
  ASSERT_EQ(training.status, 0) << training.errors;
  const std::string folder = std::string(RHYTON_SOURCE_DIR) + "/tests/apps/digits/";
  for (const std::string name : {"0_light_on_dark.png", "1_dark_on_light.png", "2_dark_on_light.jpg",
                                 "3_light_on_dark.jpg", "4_dark_on_light.png", "7_light_on_dark.png"}) {
    const Outcome outcome = run("predict_digit " + path("digits.keras") + " " + folder + name);
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
    ASSERT_EQ(outcome.lines().size(), 11) << outcome.output;
    EXPECT_EQ(outcome.lines()[0], folder + name + ": " + name.substr(0, 1));
    // The chart has a line for each digit; the correct one has the longest bar.
    const std::string line = outcome.lines()[1 + static_cast<std::size_t>(name[0] - '0')];
    EXPECT_TRUE(std::regex_match(line, std::regex("  " + name.substr(0, 1) + R"( +\d+\.\d %  (█)+)"))) << line;
  }
}

TEST_F(Apps, PredictDigitSaysWhatItCannotRead) {
  EXPECT_EQ(run("mnist_cnn --limit 64 --epochs 1 --quiet --save " + path("digits.keras")).status, 0);
  const Outcome no_image = run("predict_digit " + path("digits.keras") + " " + path("digits.keras"));
  EXPECT_EQ(no_image.status, 1);
  EXPECT_THAT(no_image.errors, HasSubstr("predict_digit: \"" + path("digits.keras") + "\" is not a supported image"));
  const Outcome no_model = run("predict_digit nowhere.keras x.png");
  EXPECT_EQ(no_model.status, 1);
  EXPECT_THAT(no_model.errors, HasSubstr("nowhere.keras"));
  EXPECT_GT(run("predict_digit " + path("digits.keras")).status, 0);
}

}  // namespace
}  // namespace rhyton
