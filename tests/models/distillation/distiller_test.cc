// Distillers: compared with Keras, and in files.

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/framework/context.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/layers/layers.h>
#include <rhyton/models/distillation/distiller.h>
#include <rhyton/models/distillation/feature_distillation.h>
#include <rhyton/models/distillation/logits_distillation.h>
#include <rhyton/models/losses/probabilistic.h>
#include <rhyton/models/losses/regression.h>
#include <rhyton/models/losses/similarity.h>
#include <rhyton/models/sequential.h>
#include <rhyton/optimizers/adam.h>
#include <rhyton/optimizers/sgd.h>
#include <rhyton/tests/framework/io/temporary_folder.h>
#include <rhyton/tests/optimizers/golden.h>
#include <rhyton/tests/support/message_of.h>
#include <rhyton/tests/support/random_tensor.h>

namespace rhyton::distillation {
namespace {

using models::Model;
using models::Sequential;
using test::expect_close;
using test::GoldenArea;
using test::message_of;
using ::testing::HasSubstr;

/// The models of make_distillation.py.
Model network(int units, const std::string& name) {
  return Sequential(
      {layers::Input({.shape = {3}}), layers::Dense(units, {.activation = "tanh", .name = name + "_hidden"}),
       layers::BatchNormalization({.name = name + "_norm"}),
       layers::Dense(4, {.activation = "relu", .name = name + "_features"}), layers::Dense(2, {.name = name + "_out"})},
      {.name = name});
}

Model two_outputs(int units, const std::string& name) {
  const layers::SymbolicTensor x = layers::Input({.shape = {3}, .name = name + "_x"});
  const layers::SymbolicTensor hidden = layers::Dense(units, {.activation = "tanh", .name = name + "_hidden"})(x);
  return Model(
      {.inputs = x,
       .outputs = {layers::Dense(2, {.name = name + "_a"})(hidden), layers::Dense(2, {.name = name + "_b"})(hidden)},
       .name = name});
}

class GoldenDistillation : public ::testing::TestWithParam<bool> {
 protected:
  void SetUp() override { clear_session(); }

  Tensor data(const std::string& role) const { return area_.array(area_.find("data"), role); }
  std::vector<Tensor> weights(const std::string& name, const std::string& role, const std::string& count) const {
    std::vector<Tensor> all;
    for (std::int64_t i = 0; i < area_.find(name)[count].as_int(); ++i) {
      all.push_back(area_.array(area_.find(name), role + std::to_string(i)));
    }
    return all;
  }

  /// Trains and evaluates as the script does, from the same weights, and compares everything that it recorded.
  void expect_same_run(const std::string& name, const Distiller& distiller, DistillerCompileOptions options,
                       const training::Tensors& y) const {
    const io::Json& golden = area_.find(name);
    distiller.teacher().set_weights(weights(name, "teacher", "teacher_weights"));
    distiller.student().set_weights(weights(name, "before", "student_weights"));
    options.run_eagerly = GetParam();
    distiller.compile(options);
    const models::History history =
        distiller.fit(data("x"), y, {.batch_size = 8, .epochs = 3, .verbose = 0, .shuffle = false});
    ASSERT_EQ(history.history.size(), golden["history"].items().size());
    for (const auto& [metric, epochs] : golden["history"].items()) {
      for (std::size_t epoch = 0; epoch < epochs.size(); ++epoch) {
        EXPECT_NEAR(history[metric].at(epoch), epochs[epoch].as_double(), 1e-5) << metric;
      }
    }
    const callbacks::Logs logs = distiller.evaluate(data("x"), y, {.batch_size = 8, .verbose = 0});
    ASSERT_EQ(logs.size(), golden["evaluate"].items().size());
    for (const auto& [metric, value] : golden["evaluate"].items()) {
      EXPECT_NEAR(logs.at(metric), value.as_double(), 1e-5) << metric;
    }
    const std::vector<Tensor> after = weights(name, "after", "student_weights");
    const std::vector<Tensor> trained = distiller.student().get_weights();
    ASSERT_EQ(trained.size(), after.size());
    for (std::size_t i = 0; i < after.size(); ++i) expect_close(trained[i], after[i], 1e-4, 1e-5);
    const std::vector<Tensor> teacher = weights(name, "teacher", "teacher_weights");
    for (std::size_t i = 0; i < teacher.size(); ++i) {
      expect_close(distiller.teacher().get_weights()[i], teacher[i], 0.0, 0.0);
    }
    const std::vector<Tensor> predictions = distiller.predict_many(data("x"), {.batch_size = 8, .verbose = 0});
    for (std::size_t i = 0; i < predictions.size(); ++i) {
      expect_close(predictions[i], area_.array(golden, "predict" + std::to_string(i)), 1e-4, 1e-5);
    }
    io::Json losses = io::Json::array();
    for (const DistillationLoss& loss : distiller.distillation_losses()) losses.push_back(serialize(loss));
    EXPECT_EQ(losses.dump(), golden["losses"].dump());
  }

  GoldenArea area_{"distillation"};
};

INSTANTIATE_TEST_SUITE_P(Ways, GoldenDistillation, ::testing::Values(false, true),
                         [](const auto& way) { return way.param ? "Eager" : "Compiled"; });

TEST_P(GoldenDistillation, StringsAreFunctionsOfTheScaledLogits) {
  expect_same_run(
      "function", Distiller(network(8, "teacher"), network(4, "student"), LogitsDistillation({.temperature = 2.0})),
      {.optimizer = optimizers::SGD({.learning_rate = 0.05}), .loss = "mse", .metrics = {"mae"}}, data("y"));
}

TEST_P(GoldenDistillation, DivergenceIsThatOfProbabilities) {
  expect_same_run("divergence",
                  Distiller(network(8, "teacher"), network(4, "student"),
                            LogitsDistillation({.temperature = 4.0, .loss = losses::KLDivergence()}),
                            {.student_loss_weight = 0.25}),
                  {.optimizer = optimizers::Adam({.learning_rate = 0.01}), .loss = losses::MeanAbsoluteError()},
                  data("y"));
}

Distiller with_features() {
  return {network(8, "teacher"),
          network(4, "student"),
          {LogitsDistillation({.temperature = 3.0, .loss = "mse"}),
           FeatureDistillation({.teacher_layer_name = "teacher_features", .student_layer_name = "student_features"}),
           FeatureDistillation({.loss = losses::CosineSimilarity()})},
          {.distillation_loss_weights = {1.0, 0.5, 0.25}}};
}

TEST_P(GoldenDistillation, FeaturesOfLayers) {
  expect_same_run("features", with_features(),
                  {.optimizer = optimizers::Adam({.learning_rate = 0.01}), .loss = "mse", .metrics = {"mae"}},
                  data("y"));
}

TEST_P(GoldenDistillation, StudentAlone) {
  expect_same_run(
      "student_alone",
      Distiller(network(8, "teacher"), network(4, "student"), LogitsDistillation(), {.student_loss_weight = 1.0}),
      {.optimizer = "sgd", .loss = "mse"}, data("y"));
}

TEST_P(GoldenDistillation, TeacherAlone) {
  expect_same_run("teacher_alone",
                  Distiller(network(8, "teacher"), network(4, "student"), FeatureDistillation({.loss = "mae"}),
                            {.student_loss_weight = 0.0}),
                  {.optimizer = "sgd", .loss = "mse"}, data("y"));
}

TEST_P(GoldenDistillation, SeveralOutputsOfWhichOneIsLeftOut) {
  expect_same_run("two_outputs",
                  Distiller(two_outputs(8, "teacher"), two_outputs(4, "student"),
                            {LogitsDistillation({.loss = {losses::KLDivergence(), nullptr}}),
                             FeatureDistillation({.loss = {"mse", "mae"}})},
                            {.student_loss_weight = 0.0}),
                  {.optimizer = optimizers::SGD({.learning_rate = 0.01}), .loss = "mse"}, {data("y"), data("z")});
}

TEST_F(GoldenDistillation, AFileOfKerasIsReadAndWritten) {
  const Model read = models::load_model(RHYTON_GOLDEN_DIR "/distillation/distiller.keras");
  EXPECT_EQ(read.class_name(), "Distiller");
  EXPECT_FALSE(read.is_compiled());
  const io::Json& golden = area_.find("features");
  const Tensor expected = area_.array(golden, "predict0");
  expect_close(read.predict(data("x"), {.verbose = 0}), expected, 1e-5, 1e-6);
  EXPECT_EQ(read.get_config()["distillation_losses"].dump(), golden["losses"].dump());

  const test::TemporaryFolder folder;
  const std::string path = (folder.path() / "again.keras").string();
  read.save(path);
  const Model again = models::load_model(path);
  expect_close(again.predict(data("x"), {.verbose = 0}), expected, 1e-5, 1e-6);
  EXPECT_EQ(again.get_config().dump(), read.get_config().dump());
}

TEST(Distiller, FreezesTheTeacher) {
  const Model teacher = network(8, "teacher");
  const Distiller distiller(teacher, network(4, "student"), LogitsDistillation());
  EXPECT_FALSE(teacher.trainable());
  EXPECT_EQ(distiller.trainable_weights().size(), distiller.student().trainable_weights().size());
  EXPECT_EQ(distiller.name(), "distiller");
}

TEST(Distiller, RefusesWhatDoesNotFit) {
  const Model teacher = network(8, "teacher");
  const Model student = network(4, "student");
  const auto message = [&](const Model& other, const std::vector<DistillationLoss>& losses,
                           const DistillerOptions& options = {}) {
    return message_of<ValueError>([&] { Distiller(teacher, other, losses, options); });
  };
  const LogitsDistillation logits;
  const Model wider = Sequential({layers::Input({.shape = {4}}), layers::Dense(2)});
  EXPECT_EQ(message(wider, {logits}),
            "Teacher and student input shapes are incompatible. Teacher: (None, 3), Student: (None, 4). All dimensions "
            "must match.");
  EXPECT_EQ(message(student, {FeatureDistillation({.teacher_layer_name = "nope"})}).substr(0, 42),
            "In teacher model: No such layer: nope. Exi");
  EXPECT_EQ(message(student, {logits}, {.student_loss_weight = 1.5}),
            "student_loss_weight must be between 0.0 and 1.0, got 1.5");
  EXPECT_EQ(message(student, {logits}, {.distillation_loss_weights = {1.0, 2.0}}),
            "Number of distillation_loss_weights (2) must match number of distillation_losses (1)");
  EXPECT_EQ(message_of<ValueError>([] { LogitsDistillation({.temperature = 0.0}); }), "temperature must be positive.");
  EXPECT_EQ(message_of<ValueError>([] { LogitsDistillation({.loss = nullptr}); }),
            "At least one loss must be non-`None`.");
  const Distiller distiller(teacher, student, logits);
  EXPECT_EQ(message_of<ValueError>([&] { distiller.compile({}); }), "'loss' cannot be `None`.");
  EXPECT_EQ(message_of<ValueError>([&] { static_cast<const Model&>(distiller).compile(); }),
            "'loss' cannot be `None`.");
}

/// The distance of the means over the batch.
class Means final : public DistillationLossImpl {
 public:
  explicit Means(bool is_scalar) : is_scalar_(is_scalar) {}
  std::string class_name() const override { return "Means"; }
  Tensor compute_loss(const std::vector<Tensor>& teacher, const std::vector<Tensor>& student) const override {
    const Tensor distance = abs(mean(teacher[0], {0}) - mean(student[0], {0}));
    return is_scalar_ ? sum(distance) : distance;
  }
  io::Json get_config() const override { return io::Json::object({{"is_scalar", is_scalar_}}); }

 private:
  bool is_scalar_;
};

TEST(Distiller, TakesACustomLoss) {
  const Tensor x = test::random_tensor({10, 3}, 1);
  const Tensor y = test::random_tensor({10, 2}, 2);
  const Model teacher = network(8, "teacher");
  const Model student = network(4, "student");
  const Distiller distiller(teacher, student, make_distillation_loss<Means>(true), {.student_loss_weight = 0.0});
  distiller.compile({.loss = "mse"});
  const double expected = sum(abs(mean(teacher(x), {0}) - mean(student(x), {0}))).item();
  const callbacks::Logs logs = distiller.evaluate(x, y, {.verbose = 0});
  EXPECT_NEAR(logs.at("distillation_loss"), expected, 1e-5);
  EXPECT_NEAR(logs.at("loss"), expected, 1e-5);

  register_distillation_loss(
      "Means", [](const io::Json& config) { return make_distillation_loss<Means>(config["is_scalar"].as_bool()); });
  const io::Json written = serialize(distiller.distillation_losses()[0]);
  EXPECT_EQ(written["registered_name"].as_string(), "Custom>Means");
  EXPECT_EQ(serialize(deserialize(written)).dump(), written.dump());

  const Distiller wrong(teacher, student, make_distillation_loss<Means>(false));
  wrong.compile({.loss = "mse"});
  EXPECT_THAT(message_of<ValueError>([&] { wrong.evaluate(x, y, {.verbose = 0}); }),
              HasSubstr("Distillation loss Means returned a non-scalar loss with shape (2,)"));
}

}  // namespace
}  // namespace rhyton::distillation
