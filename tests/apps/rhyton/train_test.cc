#include <string>
#include <vector>

#include <rhyton/tests/apps/rhyton/rhyton_tool.h>

namespace rhyton::test {
namespace {

using ::testing::HasSubstr;

/// The model "dense" with 8 samples, which Keras has trained for three steps.
class Train : public RhytonTool {
 protected:
  void SetUp() override {
    x = golden_array("dense", "next_x0");
    y = golden_array("dense", "next_y0");
    io::write_npy(path("x.npy"), x);
    io::write_npy(path("y.npy"), y);
  }
  std::string data(const std::string& model = golden("dense.keras")) const {
    return model + " --input " + path("x.npy") + " --target " + path("y.npy") + " ";
  }
  std::string train(const std::string& options) const {
    return "train " + data() + "--output " + path("out.keras") + " " + options;
  }
  static models::Model load() { return models::load_model(golden("dense.keras")); }
  static void expect_same_history(const io::Json& ours, const models::History& expected) {
    ASSERT_EQ(ours.size(), expected.history.size());
    for (const auto& [name, values] : expected.history) {
      ASSERT_TRUE(ours.contains(name)) << name;
      EXPECT_EQ(ours[name], io::Json::array_from(values)) << name;
    }
  }
  static void expect_same_weights(const models::Model& a, const models::Model& b) {
    const std::vector<Tensor> left = a.get_weights();
    const std::vector<Tensor> right = b.get_weights();
    ASSERT_EQ(left.size(), right.size());
    for (std::size_t i = 0; i < left.size(); ++i) expect_same_tensor(left[i], right[i], std::to_string(i));
  }

  Tensor x;
  Tensor y;
};

TEST_F(Train, EvaluatePrintsWhatTheLibraryGives) {
  const callbacks::Logs logs = load().evaluate(x, y, {.batch_size = 3, .verbose = 0});
  const io::Json figures = json_of("evaluate " + data() + "--batch-size 3");
  ASSERT_EQ(figures.size(), logs.size());
  for (const auto& [name, value] : logs) EXPECT_EQ(figures[name].as_double(), value) << name;
  EXPECT_EQ(figures.items().front().key, "loss");
  EXPECT_THAT(output_of("evaluate " + data()), HasSubstr("accuracy: "));
}

TEST_F(Train, DoesWhatFitDoes) {
  const io::Json printed = json_of(train("--epochs 3 --batch-size 4 --no-shuffle --history " + path("h.json")));
  const models::Model model = load();
  const models::History history = model.fit(x, y, {.batch_size = 4, .epochs = 3, .verbose = 0, .shuffle = false});
  expect_same_history(printed, history);
  EXPECT_EQ(io::Json::parse(content_of(path("h.json"))), printed);
  // The saved model is the trained one with its optimizer.
  const models::Model saved = models::load_model(path("out.keras"));
  expect_same_weights(saved, model);
  EXPECT_EQ(saved.optimizer().iterations().item(), model.optimizer().iterations().item());
  EXPECT_EQ(saved.optimizer().iterations().item(), 3 + 6) << "Keras's three steps, and ours";
  const std::vector<Variable> ours = saved.optimizer().variables();
  const std::vector<Variable> expected = model.optimizer().variables();
  for (std::size_t i = 0; i < expected.size(); ++i) expect_same_tensor(ours[i].value(), expected[i].value());
}

TEST_F(Train, ShufflesByTheSeed) {
  const std::string options = "--epochs 2 --batch-size 3 --validation-split 0.25 --seed 7";
  const io::Json first = json_of(train(options));
  set_random_seed(7);
  const models::Model model = load();
  expect_same_history(first, model.fit(x, y, {.batch_size = 3, .epochs = 2, .verbose = 0, .validation_split = 0.25}));
  EXPECT_TRUE(first.contains("val_loss"));
  expect_same_weights(models::load_model(path("out.keras")), model);
  EXPECT_EQ(json_of(train(options)), first);
  EXPECT_FALSE(json_of(train("--epochs 2 --batch-size 3 --validation-split 0.25 --seed 8")) == first);
}

TEST_F(Train, ShowsProgress) {
  const Outcome outcome = rhyton(train("--epochs 2 --batch-size 4"));
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  ASSERT_EQ(outcome.lines().size(), 4u) << outcome.output;
  EXPECT_EQ(outcome.lines()[0], "Epoch 1/2");
  EXPECT_THAT(outcome.lines()[1], HasSubstr("loss: "));
  EXPECT_EQ(output_of(train("--verbose 0")), "");
}

TEST_F(Train, TakesOptimizerLossAndMetricsFromTheCommandLine) {
  y = Tensor::full({8, 3}, 0.5);
  io::write_npy(path("y.npy"), y);
  const io::Json printed =
      json_of(train("--no-shuffle --optimizer sgd --learning-rate 0.25 --loss mse --metrics mae,mse"));
  const models::Model model = load();
  model.compile({.optimizer = optimizers::SGD({.learning_rate = 0.25}), .loss = "mse", .metrics = {"mae", "mse"}});
  expect_same_history(printed, model.fit(x, y, {.verbose = 0, .shuffle = false}));
  const models::Model saved = models::load_model(path("out.keras"));
  expect_same_weights(saved, model);
  EXPECT_EQ(saved.optimizer().class_name(), "SGD");
  EXPECT_EQ(saved.optimizer().learning_rate().item(), 0.25);
}

TEST_F(Train, ANewLearningRateKeepsTheStateOfTheOptimizer) {
  const io::Json printed = json_of(train("--no-shuffle --learning-rate 0.5"));
  const models::Model model = load();
  model.optimizer().set_learning_rate(0.5);
  expect_same_history(printed, model.fit(x, y, {.verbose = 0, .shuffle = false}));
  EXPECT_EQ(models::load_model(path("out.keras")).optimizer().iterations().item(), 4);
}

TEST_F(Train, SeveralInputsAndOutputs) {
  io::NamedTensors arrays;
  for (int i = 0; i < 2; ++i) {
    const std::string number = std::to_string(i);
    arrays.emplace_back(i == 0 ? "numbers" : "words", golden_array("two_inputs", "next_x" + number));
    arrays.emplace_back(i == 0 ? "value" : "kind", golden_array("two_inputs", "next_y" + number));
  }
  io::write_npz(path("data.npz"), arrays);
  const std::string arguments =
      golden("two_inputs.keras") + " --input " + path("data.npz") + " --target " + path("data.npz") + " ";
  const models::Model model = models::load_model(golden("two_inputs.keras"));
  const std::vector<Tensor> inputs = {arrays[0].second, arrays[2].second};
  const std::vector<Tensor> targets = {arrays[1].second, arrays[3].second};
  const callbacks::Logs logs = model.evaluate(inputs, targets, {.verbose = 0});
  const io::Json figures = json_of("evaluate " + arguments);
  for (const auto& [name, value] : logs) EXPECT_EQ(figures[name].as_double(), value) << name;
  json_of("train " + arguments + "--no-shuffle --output " + path("out.keras"));
  model.fit(inputs, targets, {.verbose = 0, .shuffle = false});
  expect_same_weights(models::load_model(path("out.keras")), model);
}

TEST_F(Train, SampleWeights) {
  const Tensor weights = Tensor::from_data<float>({8}, {0, 1, 2, 0, 0.5, 3, 1, 0});
  io::write_npy(path("w.npy"), weights);
  const std::string weighted = " --sample-weight " + path("w.npy");
  const callbacks::Logs logs = load().evaluate(x, y, {.verbose = 0, .sample_weight = weights});
  const io::Json figures = json_of("evaluate " + data() + weighted);
  for (const auto& [name, value] : logs) EXPECT_EQ(figures[name].as_double(), value) << name;
  EXPECT_FALSE(figures == json_of("evaluate " + data()));
  const io::Json history = json_of(train("--epochs 2 --batch-size 3 --no-shuffle" + weighted));
  const models::Model model = load();
  expect_same_history(
      history,
      model.fit(x, y, {.batch_size = 3, .epochs = 2, .verbose = 0, .shuffle = false, .sample_weight = weights}));
  expect_same_weights(models::load_model(path("out.keras")), model);
  io::write_npy(path("w.npy"), weights.slice(0, 7));
  expect_failure("evaluate " + data() + weighted, error, "samples");
  expect_failure(train("--json" + weighted), error, "samples");
}

TEST_F(Train, SampleWeightsOfSeveralOutputs) {
  io::NamedTensors arrays;
  for (int i = 0; i < 2; ++i) {
    const std::string number = std::to_string(i);
    arrays.emplace_back(i == 0 ? "numbers" : "words", golden_array("two_inputs", "next_x" + number));
    arrays.emplace_back(i == 0 ? "value" : "kind", golden_array("two_inputs", "next_y" + number));
  }
  const std::int64_t samples = arrays[0].second.shape()[0];
  const std::vector<Tensor> weights = {Tensor::full({samples}, 0.25), Tensor::full({samples}, 3.0)};
  io::write_npz(path("data.npz"), arrays);
  io::write_npz(path("w.npz"), {{"value", weights[0]}, {"kind", weights[1]}});
  const io::Json figures = json_of("evaluate " + golden("two_inputs.keras") + " --input " + path("data.npz") +
                                   " --target " + path("data.npz") + " --sample-weight " + path("w.npz"));
  const callbacks::Logs logs = models::load_model(golden("two_inputs.keras"))
                                   .evaluate({arrays[0].second, arrays[2].second}, {arrays[1].second, arrays[3].second},
                                             {.verbose = 0, .sample_weight = weights});
  for (const auto& [name, value] : logs) EXPECT_EQ(figures[name].as_double(), value) << name;
}

TEST_F(Train, WarningsOfTheLibraryFollowASuccess) {
  const models::Sequential model({layers::Input({.shape = {6}}), layers::Dense(3)});
  model.save(path("plain.h5"));
  const Outcome outcome = rhyton("summary --json " + path("plain.h5"));
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(io::Json::parse(outcome.output)["trainable_params"].as_int(), 21);
  ASSERT_EQ(lines_of(outcome.errors).size(), 1u) << outcome.errors;
  EXPECT_THAT(outcome.errors, HasSubstr("rhyton: warning: No training configuration found"));
}

TEST_F(Train, CtrlCEndsItWithOneLine) {
  put(path("out.keras"), "old");
  // The signal comes when the second epoch has begun, however long the start takes.
  const Outcome outcome =
      run_in_shell("{ env --default-signal=INT " + program("rhyton " + train("--epochs 100000000 --batch-size 4")) +
                   " & job=$!; until grep -q '^Epoch 2/' " + path("output") +
                   " || ! kill -0 $job; do sleep 0.05; done; kill -INT $job; wait $job; }");
  EXPECT_EQ(outcome.status, 130);
  EXPECT_EQ(outcome.errors, "rhyton: interrupted\n");
  EXPECT_EQ(content_of(path("out.keras")), "old");
}

TEST_F(Train, FailureLeavesTheOldFile) {
  put(path("out.keras"), "old");
  io::write_npy(path("y.npy"), Tensor::zeros({3}));
  expect_failure(train("--json"), error, "samples");
  EXPECT_EQ(content_of(path("out.keras")), "old");
}

TEST_F(Train, AModelThatWasNotCompiledNeedsALoss) {
  const models::Sequential model({layers::Input({.shape = {6}}), layers::Dense(3, {.activation = "softmax"})});
  model.save(path("plain.keras"));
  const std::string arguments = data(path("plain.keras"));
  expect_failure("evaluate " + arguments, error, path("plain.keras"));
  EXPECT_EQ(json_of("evaluate " + arguments + "--loss sparse_categorical_crossentropy --metrics accuracy").size(), 2u);
  expect_failure("train " + arguments + "--output " + path("out.keras"), error, path("plain.keras"));
  json_of("train " + arguments + "--output " + path("out.keras") +
          " --optimizer adam --loss sparse_categorical_crossentropy --metrics accuracy");
  EXPECT_TRUE(models::load_model(path("out.keras")).is_compiled());
  // In place.
  json_of("train " + data(path("out.keras")) + "--output " + path("out.keras"));
  EXPECT_EQ(models::load_model(path("out.keras")).optimizer().iterations().item(), 2);
}

}  // namespace
}  // namespace rhyton::test
