#include <rhyton/models/callbacks/model_checkpoint.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/framework/context.h>
#include <rhyton/framework/error.h>
#include <rhyton/tests/framework/io/temporary_folder.h>
#include <rhyton/tests/models/callbacks/fake_training.h>
#include <rhyton/tests/models/golden_models.h>
#include <rhyton/tests/models/training/small_models.h>

namespace rhyton::callbacks {
namespace {

namespace fs = std::filesystem;
using models::column;
using models::golden_cases;
using models::linear_model;
using models::message_of;
using test::TemporaryFolder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Relative paths are within that folder during its lifetime.
class WorkingFolder {
 public:
  WorkingFolder() : before_(fs::current_path()) { fs::current_path(folder_.path()); }
  ~WorkingFolder() { fs::current_path(before_); }
  WorkingFolder(const WorkingFolder&) = delete;
  WorkingFolder& operator=(const WorkingFolder&) = delete;

  std::vector<std::string> files() const {
    std::vector<std::string> files;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder_.path())) {
      if (entry.is_regular_file()) files.push_back(fs::relative(entry.path(), folder_.path()).string());
    }
    std::sort(files.begin(), files.end());
    return files;
  }

 private:
  TemporaryFolder folder_;
  fs::path before_;
};

/// A training of a model that can be saved.
class SavableTraining : public FakeTraining {
 public:
  SavableTraining() { model_.compile({.optimizer = "sgd", .loss = "mse"}); }
  layers::Layer model() const override { return model_; }

 private:
  models::Sequential model_ = linear_model();
};

ModelCheckpointOptions options_from(const io::Json& json) {
  static const std::set<std::string> known = {"monitor", "verbose",   "save_best_only",         "save_weights_only",
                                              "mode",    "save_freq", "initial_value_threshold"};
  for (const auto& [key, value] : json.items()) EXPECT_TRUE(known.contains(key)) << key;
  ModelCheckpointOptions options;
  options.monitor = json.get_or("monitor", "val_loss");
  options.verbose = json.get_or("verbose", 0);
  options.save_best_only = json.get_or("save_best_only", false);
  options.save_weights_only = json.get_or("save_weights_only", false);
  options.mode = json.get_or("mode", "auto");
  if (const io::Json* const save_freq = json.find("save_freq")) {
    options.save_freq = save_freq->is_int() ? Frequency(save_freq->as_int()) : Frequency(save_freq->as_string());
  }
  if (const io::Json* const threshold = json.find("initial_value_threshold")) {
    options.initial_value_threshold = threshold->as_double();
  }
  return options;
}

void call_hook(const Callback& callback, TrainingControl& training, const io::Json& event) {
  const std::string hook = event[0].as_string();
  const std::int64_t number = event[1].as_int();
  Logs logs;
  for (const auto& [name, value] : event[2].items()) logs.set(name, value.as_double());
  if (hook == "epoch_begin") {
    callback->on_epoch_begin(training, static_cast<int>(number), logs);
  } else if (hook == "epoch_end") {
    callback->on_epoch_end(training, static_cast<int>(number), logs);
  } else {
    callback->on_train_batch_end(training, number, logs);
  }
}

/// Python's exception class for the exception; empty for none.
template <class Action>
std::string exception_of(const Action& action, std::string& message) {
  try {
    action();
    return "";
  } catch (const NotFoundError& error) {
    message = error.what();
    return "KeyError";
  } catch (const IOError& error) {
    message = error.what();
    return "OSError";
  } catch (const ValueError& error) {
    message = error.what();
    return "ValueError";
  }
}

TEST(ModelCheckpoint, WritesAndSaysWhatKerasDoes) {
  for (const io::Json& entry : golden_cases("model_checkpoint")) {
    SCOPED_TRACE(entry["name"].as_string());
    const WorkingFolder folder;
    fs::create_directory("taken.keras");
    SavableTraining training;
    std::string message;
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    const std::string exception = exception_of(
        [&] {
          const ModelCheckpoint callback(entry["filepath"].as_string(), options_from(entry["options"]));
          for (const io::Json& event : entry["events"]) call_hook(callback, training, event);
        },
        message);
    EXPECT_EQ(testing::internal::GetCapturedStdout(), entry["stdout"].as_string());
    const std::string warned = testing::internal::GetCapturedStderr();
    EXPECT_EQ(exception, entry["exception"].is_null() ? "" : entry["exception"].as_string());
    EXPECT_EQ(message, entry["message"].is_null() ? "" : entry["message"].as_string());
    std::string warnings;
    for (const io::Json& warning : entry["warnings"]) warnings += "UserWarning: " + warning.as_string() + "\n";
    EXPECT_EQ(warned, warnings);
    std::vector<std::string> files;
    for (const io::Json& file : entry["files"]) files.push_back(file.as_string());
    EXPECT_EQ(folder.files(), files);
  }
}

TEST(ModelCheckpoint, SavesWhatTheModelIsAtThatMoment) {
  const WorkingFolder folder;
  const models::Sequential model = linear_model(1.0F);
  model.compile({.optimizer = optimizers::SGD({.learning_rate = 0.1}), .loss = "mse"});
  std::vector<std::vector<Tensor>> weights;
  class Recorder final : public CallbackImpl {
   public:
    explicit Recorder(std::vector<std::vector<Tensor>>& weights) : weights_(weights) {}
    void on_epoch_end(TrainingControl& training, int, Logs&) override {
      weights_.push_back(models::copies_of_weights(training.model()));
    }

   private:
    std::vector<std::vector<Tensor>>& weights_;
  };
  const Tensor x = column({1, 2, 3, 4});
  model.fit(x, column({0, 1, 0, 1}),
            {.epochs = 3,
             .verbose = 0,
             .callbacks = {make_callback<Recorder>(weights), ModelCheckpoint("{epoch}.keras"),
                           ModelCheckpoint("{epoch}.weights.h5", {.save_weights_only = true})}});
  ASSERT_EQ(weights.size(), 3);
  EXPECT_NE(weights[0][0].item(), weights[2][0].item());
  for (int epoch = 1; epoch <= 3; ++epoch) {
    const models::Model whole = models::load_model(std::to_string(epoch) + ".keras");
    const models::Sequential other = linear_model();
    other.load_weights(std::to_string(epoch) + ".weights.h5");
    for (std::size_t i = 0; i < 2; ++i) {
      const std::vector<double> expected = weights[static_cast<std::size_t>(epoch) - 1][i].to_vector();
      EXPECT_EQ(whole.get_weights()[i].to_vector(), expected);
      EXPECT_EQ(other.get_weights()[i].to_vector(), expected);
    }
  }
}

TEST(ModelCheckpoint, ReadsTheLogsOnlyOfTheBatchesAfterWhichItSaves) {
  const WorkingFolder folder;
  SavableTraining training;
  const ModelCheckpoint callback("m.weights.h5", {.save_weights_only = true, .save_freq = 3});
  std::vector<bool> reads;
  for (std::int64_t batch = 0; batch < 6; ++batch) {
    reads.push_back(false);
    Logs logs = Logs::deferred([&] {
      reads.back() = true;
      return Logs();
    });
    callback->on_train_batch_end(training, batch, logs);
  }
  EXPECT_THAT(reads, ElementsAre(false, false, true, false, false, true));
}

TEST(ModelCheckpoint, CountsTheBatchesOfExecutionsOfSeveralSteps) {
  const WorkingFolder folder;
  SavableTraining training;
  const ModelCheckpoint callback("{epoch}-{batch}.weights.h5", {.save_weights_only = true, .save_freq = 4});
  for (int epoch = 0; epoch < 2; ++epoch) {
    Logs logs;
    callback->on_epoch_begin(training, epoch, logs);
    for (const std::int64_t batch : {1, 3, 5, 7, 9}) callback->on_train_batch_end(training, batch, logs);
  }
  EXPECT_THAT(folder.files(),
              ElementsAre("1-4.weights.h5", "1-8.weights.h5", "2-10.weights.h5", "2-2.weights.h5", "2-6.weights.h5"));
}

TEST(ModelCheckpoint, RefusesWhatCannotBe) {
  EXPECT_THROW(ModelCheckpoint("m.keras", {.mode = "best"}), ValueError);
  EXPECT_THROW(ModelCheckpoint("m.keras", {.save_freq = 0}), ValueError);
  const WorkingFolder folder;
  SavableTraining training;
  Logs logs = {{"loss", 0.5}};
  EXPECT_THAT(
      message_of<ValueError>([&] { ModelCheckpoint("{loss:d}.keras")->on_epoch_end(training, 0, logs); }),
      HasSubstr("Failed to format this callback filepath: \"{loss:d}.keras\". Reason: Unknown format code 'd'"));
  EXPECT_TRUE(folder.files().empty());
}

TEST(ModelCheckpoint, RemembersTheBestOfAnInterruptedTraining) {
  const WorkingFolder folder;
  SavableTraining training;
  const ModelCheckpointOptions options = {.monitor = "loss", .save_best_only = true};
  const ModelCheckpoint first("{epoch}.keras", options);
  Logs logs = {{"loss", 0.5}};
  first->on_epoch_end(training, 0, logs);
  const ModelCheckpoint second("{epoch}.keras", options);
  second->set_state(first->state());
  logs.set("loss", 0.75);
  second->on_epoch_end(training, 1, logs);
  EXPECT_THAT(folder.files(), ElementsAre("1.keras"));
}

}  // namespace
}  // namespace rhyton::callbacks
