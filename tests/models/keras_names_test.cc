// Small names of keras.utils and keras.config.

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/framework/error.h>
#include <rhyton/layers/call_node.h>
#include <rhyton/layers/layers.h>
#include <rhyton/models/config.h>
#include <rhyton/models/keras_names.h>
#include <rhyton/models/progbar.h>
#include <rhyton/models/sequential.h>
#include <rhyton/models/training/progress_bar.h>
#include <rhyton/tests/support/message_of.h>
#include <rhyton/tests/support/random_tensor.h>

namespace rhyton {
namespace {

using layers::SymbolicTensor;
using test::message_of;
using ::testing::HasSubstr;

TEST(KerasNames, PartsOfABatch) {
  const Tensor x = test::random_tensor({2, 3}, 1);
  const Tensor y = test::random_tensor({2}, 2);
  const models::StepData data = utils::pack_x_y_sample_weight({x}, {y});
  const auto [inputs, targets, weights] = utils::unpack_x_y_sample_weight(data);
  ASSERT_EQ(inputs.size(), 1);
  EXPECT_EQ(inputs[0].to_vector(), x.to_vector());
  EXPECT_EQ(targets[0].to_vector(), y.to_vector());
  EXPECT_TRUE(weights.empty());
}

TEST(KerasNames, SymbolicTensorsAreToldFromTensors) {
  const SymbolicTensor symbolic = layers::Input({.shape = {3}});
  EXPECT_TRUE(utils::is_keras_tensor(symbolic));
  EXPECT_FALSE(utils::is_keras_tensor(Tensor()));
  EXPECT_FALSE(utils::is_keras_tensor(1.0));
}

TEST(KerasNames, SourceInputsAreFoundOnce) {
  const SymbolicTensor a = layers::Input({.shape = {3}, .name = "a"});
  const SymbolicTensor b = layers::Input({.shape = {3}, .name = "b"});
  const SymbolicTensor unused = layers::Input({.shape = {3}, .name = "unused"});
  const SymbolicTensor sum = layers::Add()({b, a});
  SymbolicTensor y = layers::Concatenate()({a, sum});
  for (int i = 0; i < 50; ++i) y = layers::Add()({y, y});
  std::vector<std::string> names;
  for (const SymbolicTensor& source : utils::get_source_inputs(y)) names.push_back(source.node()->layer->name());
  EXPECT_EQ(names, (std::vector<std::string>{"a", "b"}));
  ASSERT_EQ(utils::get_source_inputs(unused).size(), 1);
}

TEST(KerasNames, VersionAndBackend) {
  std::ifstream file(RHYTON_SOURCE_DIR "/CMakeLists.txt");
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_THAT(text.str(), HasSubstr("project(Rhyton VERSION " + version() + " "));
  EXPECT_EQ(config::backend(), "rhyton");
}

class Limits : public ::testing::Test {
 protected:
  void TearDown() override {
    config::set_max_epochs(std::nullopt);
    config::set_max_steps_per_epoch(std::nullopt);
    config::enable_interactive_logging();
  }

  models::Model model() const {
    models::Sequential model({layers::Input({.shape = {3}}), layers::Dense(2)});
    model.compile({.optimizer = "sgd", .loss = "mse"});
    return model;
  }

  Tensor x_ = test::random_tensor({20, 3}, 1);
  Tensor y_ = test::random_tensor({20, 2}, 2);
};

TEST_F(Limits, OfEpochsAndStepsHoldForEveryCall) {
  const models::Model model = this->model();
  config::set_max_epochs(2);
  config::set_max_steps_per_epoch(3);
  EXPECT_EQ(config::max_epochs(), 2);
  EXPECT_EQ(config::max_steps_per_epoch(), 3);
  const models::History history = model.fit(x_, y_, {.batch_size = 4, .epochs = 5, .verbose = 0});
  EXPECT_EQ(history["loss"].size(), 2);
  EXPECT_EQ(model.optimizer().iterations().item(), 6);
  EXPECT_EQ(model.predict(x_, {.batch_size = 4, .verbose = 0}).shape(), (Shape{12, 2}));
  config::set_max_epochs(0);  // as in Keras, no limit
  EXPECT_EQ(model.fit(x_, y_, {.batch_size = 4, .epochs = 3, .verbose = 0})["loss"].size(), 3);
  EXPECT_EQ(message_of<ValueError>([] { config::set_max_epochs(-1); }),
            "`max_epochs` must not be negative. Received: -1");
}

TEST_F(Limits, WithoutInteractiveLoggingNothingIsShown) {
  const models::Model model = this->model();
  const auto output_of_fit = [&] {
    ::testing::internal::CaptureStdout();
    model.fit(x_, y_, {.verbose = 2});
    model.evaluate(x_, y_);
    model.predict(x_);
    return ::testing::internal::GetCapturedStdout();
  };
  EXPECT_THAT(output_of_fit(), HasSubstr("loss"));
  config::disable_interactive_logging();
  EXPECT_FALSE(utils::is_interactive_logging_enabled());
  EXPECT_EQ(output_of_fit(), "");
}

TEST_F(Limits, ProgbarAveragesOverSteps) {
  std::ostringstream stream;
  double now = 0.0;
  utils::Progbar bar(4, {.verbose = 2, .stateful_metrics = {"rate"}},
                     {.stream = &stream, .clock = [&] { return now; }});
  bar.add(1, {{"loss", 1.0}, {"rate", 5.0}});
  now = 1.0;
  bar.update(3, {{"loss", 4.0}, {"rate", 6.0}});
  EXPECT_EQ(stream.str(), "");
  bar.add(1, {{"loss", 3.0}, {"rate", 7.0}});
  EXPECT_THAT(stream.str(), HasSubstr("4/4 - 1s"));
  EXPECT_THAT(stream.str(), HasSubstr("loss: 3.0000 - rate: 7.0000"));
}

}  // namespace
}  // namespace rhyton
