#include <rhyton/models/callbacks/backup_and_restore.h>

#include <bit>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/framework/context.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/io/json/json.h>
#include <rhyton/framework/random/philox.h>
#include <rhyton/layers/normalization/batch_normalization.h>
#include <rhyton/layers/regularization/dropout.h>
#include <rhyton/models/callbacks/early_stopping.h>
#include <rhyton/models/callbacks/lambda_callback.h>
#include <rhyton/models/callbacks/learning_rate_scheduler.h>
#include <rhyton/models/callbacks/reduce_lr_on_plateau.h>
#include <rhyton/optimizers/adam.h>
#include <rhyton/tests/framework/io/temporary_folder.h>
#include <rhyton/tests/models/golden_models.h>
#include <rhyton/tests/models/training/small_models.h>

namespace rhyton::callbacks {
namespace {

namespace fs = std::filesystem;
using models::History;
using models::message_of;
using models::Sequential;
using test::content_of;
using test::put;
using test::TemporaryFolder;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

/// All results of a training.
struct Outcome {
  History history;
  std::vector<std::vector<double>> variables;
  std::uint64_t next_seed = 0;
};

struct Data {
  Tensor x;
  Tensor y;
  Data() {
    random::PhiloxSequence random(5);
    std::vector<float> values(120);
    for (float& value : values) value = random.next_uniform();
    x = Tensor::from_data<float>({40, 3}, values);
    values.resize(40);
    for (float& value : values) value = random.next_uniform() < 0.5F ? 0.0F : 1.0F;
    y = Tensor::from_data<float>({40, 1}, values);
  }
};

struct Setting {
  bool run_eagerly = false;
  std::optional<std::int64_t> steps_per_epoch = std::nullopt;
  std::function<std::vector<Callback>()> callbacks = [] { return std::vector<Callback>(); };
};

/// All of it is random and has state: dropout, batch statistics, moments.
class Training {
 public:
  /// Another `seed` emulates another process without a given seed.
  Training(const Setting& setting, std::uint64_t seed) : setting_(setting) {
    set_random_seed(seed);
    model_ =
        Sequential({layers::Input({.shape = {3}}), layers::Dense(8, {.activation = "relu"}), layers::Dropout(0.3),
                    layers::BatchNormalization(), layers::Dense(1, {.activation = "sigmoid"}), layers::Dropout(0.1)});
    model_.compile({.optimizer = optimizers::Adam({.learning_rate = 0.01}),
                    .loss = "mse",
                    .metrics = {"accuracy", "mae"},
                    .run_eagerly = setting.run_eagerly});
  }

  /// Six epochs of ten steps; `more` is last in the list.
  Outcome fit(const std::vector<Callback>& more = {}) const {
    const Data data;
    std::vector<Callback> callbacks = setting_.callbacks();
    callbacks.insert(callbacks.end(), more.begin(), more.end());
    Outcome outcome;
    outcome.history = model_.fit(data.x, data.y,
                                 {.batch_size = 4,
                                  .epochs = 6,
                                  .verbose = 0,
                                  .callbacks = callbacks,
                                  .validation_data = {data.x, data.y},
                                  .steps_per_epoch = setting_.steps_per_epoch});
    for (const Variable& variable : model_.weights()) outcome.variables.push_back(variable.value().to_vector());
    for (const Variable& variable : model_.optimizer().variables()) {
      outcome.variables.push_back(variable.value().to_vector());
    }
    outcome.next_seed = context().next_seed();
    return outcome;
  }

  const Sequential& model() const { return model_; }

 private:
  Setting setting_;
  Sequential model_;
};

class Interruption final : public std::exception {};

/// Interrupts training after this many steps: before or after the backup of that step, depending on its list position.
Callback interruption_after(int steps) {
  class Interrupter final : public CallbackImpl {
   public:
    explicit Interrupter(int steps) : left_(steps) {}
    void on_resumable(TrainingControl&, const FitPosition& position) override {
      if (position.step > 0 && --left_ == 0) throw Interruption();
    }

   private:
    int left_;
  };
  return make_callback<Interrupter>(steps);
}

void expect_same_bits(const std::vector<double>& actual, const std::vector<double>& expected, const std::string& what) {
  ASSERT_EQ(actual.size(), expected.size()) << what;
  for (std::size_t i = 0; i < actual.size(); ++i) {
    EXPECT_EQ(std::bit_cast<std::uint64_t>(actual[i]), std::bit_cast<std::uint64_t>(expected[i])) << what << " " << i;
  }
}

/// Expects the resumed history to be the last part of the whole one.
void expect_same(const Outcome& resumed, const Outcome& whole) {
  ASSERT_EQ(resumed.variables.size(), whole.variables.size());
  for (std::size_t i = 0; i < whole.variables.size(); ++i) {
    expect_same_bits(resumed.variables[i], whole.variables[i], "variable " + std::to_string(i));
  }
  const std::size_t skipped = whole.history.epoch.size() - resumed.history.epoch.size();
  EXPECT_EQ(resumed.history.epoch, std::vector<int>(whole.history.epoch.begin() + static_cast<std::ptrdiff_t>(skipped),
                                                    whole.history.epoch.end()));
  for (const auto& [name, values] : resumed.history.history) {
    const std::vector<double>& all = whole.history[name];
    expect_same_bits(values, {all.begin() + static_cast<std::ptrdiff_t>(skipped), all.end()}, name);
  }
  EXPECT_EQ(resumed.next_seed, whole.next_seed);
}

Setting with(std::function<std::vector<Callback>()> callbacks) {
  Setting setting;
  setting.callbacks = std::move(callbacks);
  return setting;
}

/// Interrupts a training after `steps` and resumes it in another model with another seed.
Outcome interrupted_and_resumed(const Setting& setting, int steps, const BackupAndRestoreOptions& options,
                                std::uint64_t seed = 1, int* first_epoch = nullptr) {
  const TemporaryFolder folder;
  const std::string backup = folder / "backup";
  const Training first(setting, seed);
  EXPECT_THROW(first.fit({BackupAndRestore(backup, options), interruption_after(steps)}), Interruption);
  const Training second(setting, seed + 1000);
  Outcome outcome = second.fit({BackupAndRestore(backup, options), LambdaCallback({})});
  if (first_epoch != nullptr) *first_epoch = outcome.history.epoch.front();
  EXPECT_FALSE(fs::exists(backup)) << "the backup is gone when training has ended";
  return outcome;
}

TEST(BackupAndRestore, ResumesWithTheSameBitsWhereverItWasInterrupted) {
  const Setting setting;
  const Outcome whole = Training(setting, 1).fit();
  for (const auto& [steps, save_freq] :
       {std::pair(1, 1), {9, 1}, {10, 1}, {11, 1}, {59, 1}, {60, 1}, {7, 3}, {20, 3}, {49, 8}}) {
    SCOPED_TRACE("interrupted after step " + std::to_string(steps));
    expect_same(interrupted_and_resumed(setting, steps, {.save_freq = save_freq}), whole);
  }
}

TEST(BackupAndRestore, ResumesAtTheBeginningOfAnEpochWhereBackupsAreMadeAtItsEnd) {
  const Setting setting;
  const Outcome whole = Training(setting, 1).fit();
  for (const auto& [steps, epoch] : {std::pair(11, 1), {25, 2}, {59, 5}}) {
    SCOPED_TRACE("interrupted after step " + std::to_string(steps));
    int first_epoch = 0;
    expect_same(interrupted_and_resumed(setting, steps, {}, 1, &first_epoch), whole);
    EXPECT_EQ(first_epoch, epoch);
  }
}

TEST(BackupAndRestore, ResumesEagerTraining) {
  Setting setting;
  setting.run_eagerly = true;
  expect_same(interrupted_and_resumed(setting, 14, {.save_freq = 2}), Training(setting, 1).fit());
}

TEST(BackupAndRestore, ResumesInsideAPassOverTheData) {
  Setting setting;
  setting.steps_per_epoch = 7;
  const Outcome whole = Training(setting, 1).fit();
  for (const int steps : {6, 7, 8, 10, 11, 15}) {
    SCOPED_TRACE("interrupted after step " + std::to_string(steps));
    expect_same(interrupted_and_resumed(setting, steps, {.save_freq = 1}), whole);
    if (steps > 7) expect_same(interrupted_and_resumed(setting, steps, {}), whole);
  }
}

TEST(BackupAndRestore, KeepsTheStatesOfOtherCallbacks) {
  const Setting early = with([] {
    return std::vector<Callback>{
        EarlyStopping({.monitor = "val_loss", .min_delta = 0.01, .patience = 2, .restore_best_weights = true})};
  });
  const Outcome stopped = Training(early, 1).fit();
  ASSERT_LT(stopped.history.epoch.size(), 6);
  const int last = static_cast<int>(stopped.history.epoch.size()) * 10;
  for (const int steps : {15, last - 1, last}) {
    SCOPED_TRACE("interrupted after step " + std::to_string(steps));
    expect_same(interrupted_and_resumed(early, steps, {.save_freq = 1}), stopped);
    expect_same(interrupted_and_resumed(early, steps, {}), stopped);
  }
  const Setting plateau = with([] {
    return std::vector<Callback>{
        ReduceLROnPlateau({.monitor = "loss", .factor = 0.5, .patience = 1, .min_delta = 0.05, .cooldown = 1})};
  });
  expect_same(interrupted_and_resumed(plateau, 35, {.save_freq = 4}), Training(plateau, 1).fit());
  EXPECT_LT(Training(plateau, 1).fit().history["learning_rate"].back(), 0.01);
}

TEST(BackupAndRestore, ALearningRateThatTheEpochHasChangedIsNotChangedAgain) {
  const Setting setting =
      with([] { return std::vector<Callback>{LearningRateScheduler([](int, double rate) { return rate * 0.7; })}; });
  const Outcome whole = Training(setting, 1).fit();
  expect_same(interrupted_and_resumed(setting, 25, {.save_freq = 2}), whole);
  expect_same(interrupted_and_resumed(setting, 25, {}), whole);
}

TEST(BackupAndRestore, ATrainingThatWasStoppedStaysStopped) {
  // Stops in the middle of the second epoch, at whose end there is still validation.
  const Setting setting = with([] {
    class Stopper final : public CallbackImpl {
     public:
      void on_train_batch_end(TrainingControl& training, std::int64_t batch, Logs&) override {
        if (epoch_ == 1 && batch == 4) training.stop_training();
      }
      void on_epoch_begin(TrainingControl&, int epoch, Logs&) override { epoch_ = epoch; }

     private:
      int epoch_ = 0;
    };
    return std::vector<Callback>{make_callback<Stopper>()};
  });
  const Outcome whole = Training(setting, 1).fit();
  ASSERT_EQ(whole.history.epoch, (std::vector<int>{0, 1}));
  expect_same(interrupted_and_resumed(setting, 15, {.save_freq = 1}), whole);
}

TEST(BackupAndRestore, GoesOnInTheSameProcess) {
  const TemporaryFolder folder;
  const std::string backup = folder / "backup";
  const Training training({}, 1);
  const BackupAndRestore callback(backup, {.save_freq = 4});
  EXPECT_THROW(training.fit({callback, interruption_after(26)}), Interruption);
  expect_same(training.fit({callback, LambdaCallback({})}), Training({}, 1).fit());
}

TEST(BackupAndRestore, WritesTheFilesOfKeras) {
  const TemporaryFolder folder;
  const std::string backup = folder / "backup";
  EXPECT_THROW(Training({}, 1).fit({BackupAndRestore(backup), interruption_after(25)}), Interruption);
  const auto names = [&] {
    std::vector<std::string> names;
    for (const fs::directory_entry& entry : fs::directory_iterator(backup)) names.push_back(entry.path().filename());
    return names;
  };
  EXPECT_THAT(names(), UnorderedElementsAre("latest.weights.h5", "training_metadata.json"));
  EXPECT_EQ(content_of(backup + "/training_metadata.json"), R"({"epoch": 2, "batch": 0})");
  EXPECT_THROW(Training({}, 1).fit(
                   {BackupAndRestore(backup, {.save_freq = 6, .double_checkpoint = true}), interruption_after(10)}),
               Interruption);
  EXPECT_THAT(names(), UnorderedElementsAre("latest.weights.h5", "training_metadata.json", "latest.weights.h5.bkp",
                                            "training_metadata.json.bkp"));
  EXPECT_EQ(content_of(backup + "/training_metadata.json"), R"({"epoch": 2, "batch": 5})");
  EXPECT_EQ(content_of(backup + "/training_metadata.json.bkp"), R"({"epoch": 2, "batch": 0})");
}

TEST(BackupAndRestore, KeepsTheBackupWhereItIsToldTo) {
  const TemporaryFolder folder;
  const std::string backup = folder / "backup";
  const Outcome whole = Training({}, 1).fit({BackupAndRestore(backup, {.delete_checkpoint = false})});
  EXPECT_TRUE(fs::exists(backup + "/latest.weights.h5"));
  // No epochs remain.
  const Outcome again = Training({}, 2).fit({BackupAndRestore(backup)});
  EXPECT_TRUE(again.history.epoch.empty());
  EXPECT_EQ(again.variables, whole.variables);
}

TEST(BackupAndRestore, LeavesTheFilesOfOthersAlone) {
  const TemporaryFolder folder;
  put(folder / "notes.txt", "mine");
  put(folder / ".latest.weights.h5.abc.tmp", "of a process that was killed");
  Training({}, 1).fit({BackupAndRestore(folder.path().string(), {.double_checkpoint = true})});
  EXPECT_THAT(folder.names(), UnorderedElementsAre("notes.txt"));
}

TEST(BackupAndRestore, FallsBackToTheBackupBefore) {
  const TemporaryFolder folder;
  const std::string backup = folder / "backup";
  const BackupAndRestoreOptions options = {.save_freq = 5, .double_checkpoint = true};
  EXPECT_THROW(Training({}, 1).fit({BackupAndRestore(backup, options), interruption_after(26)}), Interruption);
  const std::string latest = backup + "/latest.weights.h5";
  const std::string content = content_of(latest);
  put(latest, std::string_view(content).substr(0, content.size() / 2));
  testing::internal::CaptureStderr();
  const Outcome resumed = Training({}, 7).fit({BackupAndRestore(backup, options), LambdaCallback({})});
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("UserWarning: The last backup cannot be restored"));
  expect_same(resumed, Training({}, 1).fit());
}

TEST(BackupAndRestore, ADamagedBackupIsAnError) {
  const TemporaryFolder folder;
  const std::string backup = folder / "backup";
  EXPECT_THROW(Training({}, 1).fit({BackupAndRestore(backup), interruption_after(25)}), Interruption);
  const std::string content = content_of(backup + "/latest.weights.h5");
  put(backup + "/latest.weights.h5", std::string_view(content).substr(0, 1000));
  const Training training({}, 1);
  EXPECT_THROW(training.fit({BackupAndRestore(backup)}), IOError);
  EXPECT_TRUE(fs::exists(backup + "/latest.weights.h5"));
}

/// Flips the lowest bit of one byte.
std::string with_flipped_bit(std::string content, std::size_t place) {
  content[place] = static_cast<char>(content[place] ^ 1);
  return content;
}

TEST(BackupAndRestore, OneFlippedBitIsAnError) {
  const TemporaryFolder folder;
  const std::string backup = folder / "backup";
  EXPECT_THROW(Training({}, 1).fit({BackupAndRestore(backup), interruption_after(25)}), Interruption);
  const std::string latest = backup + "/latest.weights.h5";
  const std::string content = content_of(latest);
  const Training training({}, 1);
  for (std::size_t place = 0; place < content.size() - 20; place += content.size() / 150) {
    put(latest, with_flipped_bit(content, place));
    EXPECT_THAT(message_of<IOError>([&] { training.fit({BackupAndRestore(backup)}); }),
                testing::AllOf(HasSubstr(latest), HasSubstr("is damaged: its checksum is")))
        << place;
  }
  put(latest, content);
  expect_same(training.fit({BackupAndRestore(backup), LambdaCallback({})}), Training({}, 1).fit());
}

TEST(BackupAndRestore, OneFlippedBitLeadsToTheBackupBefore) {
  const Outcome whole = Training({}, 1).fit();
  const BackupAndRestoreOptions options = {.save_freq = 5, .double_checkpoint = true};
  for (const double part : {0.1, 0.5, 0.9}) {
    const TemporaryFolder folder;
    const std::string backup = folder / "backup";
    EXPECT_THROW(Training({}, 1).fit({BackupAndRestore(backup, options), interruption_after(26)}), Interruption);
    const std::string latest = backup + "/latest.weights.h5";
    const std::string content = content_of(latest);
    put(latest, with_flipped_bit(content, static_cast<std::size_t>(static_cast<double>(content.size()) * part)));
    testing::internal::CaptureStderr();
    const Outcome resumed = Training({}, 7).fit({BackupAndRestore(backup, options), LambdaCallback({})});
    EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("UserWarning: The last backup cannot be restored"));
    expect_same(resumed, whole);
  }
}

TEST(BackupAndRestore, ABackupWithoutChecksumIsTakenToo) {
  const TemporaryFolder folder;
  const std::string backup = folder / "backup";
  EXPECT_THROW(Training({}, 1).fit({BackupAndRestore(backup), interruption_after(25)}), Interruption);
  const std::string latest = backup + "/latest.weights.h5";
  const std::string content = content_of(latest);
  ASSERT_EQ(content.substr(content.size() - 20, 8), "RHYTCRC1");
  put(latest, std::string_view(content).substr(0, content.size() - 20));
  expect_same(Training({}, 9).fit({BackupAndRestore(backup), LambdaCallback({})}), Training({}, 1).fit());
}

TEST(BackupAndRestore, RefusesABackupThatDoesNotFit) {
  const TemporaryFolder folder;
  const std::string backup = folder / "backup";
  EXPECT_THROW(Training({}, 1).fit({BackupAndRestore(backup, {.save_freq = 5}), interruption_after(25)}), Interruption);
  const auto fails = [&](const Setting& setting, const std::vector<Callback>& callbacks) {
    return message_of<ValueError>([&] { Training(setting, 1).fit(callbacks); });
  };
  EXPECT_THAT(fails({}, {BackupAndRestore(backup)}), HasSubstr("expected 1 callbacks, received 2"));
  Setting shorter;
  shorter.steps_per_epoch = 7;
  EXPECT_THAT(fails(shorter, {BackupAndRestore(backup), LambdaCallback({})}),
              HasSubstr("steps_per_epoch was 10. Received: steps_per_epoch=7"));
  const Sequential other = models::linear_model();
  other.compile(models::standing_still());
  EXPECT_THAT(message_of<ValueError>([&] {
                const Tensor x = Tensor::zeros({8, 1});
                other.fit(x, x, {.verbose = 0, .callbacks = {BackupAndRestore(backup)}});
              }),
              HasSubstr("could not be loaded"));
  EXPECT_THROW(BackupAndRestore(""), ValueError);
  EXPECT_EQ(message_of<ValueError>([] { BackupAndRestore("backup", {.save_freq = "batch"}); }),
            "Invalid value for argument `save_freq`. Received: save_freq=batch. Expected either 'epoch' or an integer "
            "value.");
}

TEST(BackupAndRestore, AnUnwritableFolderIsAnError) {
  const TemporaryFolder folder;
  put(folder / "file", "");
  EXPECT_THROW(Training({}, 1).fit({BackupAndRestore(folder / "file" / "backup")}), IOError);
}

TEST(BackupAndRestore, GoesOnFromABackupOfKeras) {
  const std::string golden = std::string(RHYTON_GOLDEN_DIR) + "/keras_backup";
  const TemporaryFolder folder;
  for (const char* name : {"latest.weights.h5", "training_metadata.json"}) {
    fs::copy_file(golden + "/" + name, folder / name);
  }
  const std::string text = content_of(golden + "/history.json");
  const io::Json expected = io::Json::parse(text);

  std::vector<float> values;
  for (int i = 0; i < 16; ++i) values.push_back(static_cast<float>(i) / 16.0F);
  const Tensor x = Tensor::from_data<float>({8, 2}, values);
  std::vector<float> sums;
  for (std::size_t i = 0; i < 16; i += 2) sums.push_back(values[i] + values[i + 1]);
  const Sequential model({layers::Input({.shape = {2}}), layers::Dense(1)});
  model.compile({.optimizer = optimizers::Adam({.learning_rate = 0.01}), .loss = "mse"});
  const History history = model.fit(x, models::column(sums),
                                    {.batch_size = 4,
                                     .epochs = 5,
                                     .verbose = 0,
                                     .callbacks = {BackupAndRestore(folder.path().string())},
                                     .shuffle = false});
  EXPECT_EQ(history.epoch, (std::vector<int>{2, 3, 4}));
  for (std::size_t i = 0; i < 3; ++i) {
    const double loss = expected["loss"][i].as_double();
    EXPECT_NEAR(history["loss"][i], loss, 1e-5 * loss);
  }
}

TEST(TrainingControl, IsAskedAtTheRightTimeOnly) {
  class Meddler final : public CallbackImpl {
   public:
    void on_epoch_begin(TrainingControl& training, int, Logs&) override {
      EXPECT_THROW(training.resume_from({}), RuntimeError);
      EXPECT_THROW(training.set_initial_epoch(3), RuntimeError);
    }
    void on_test_begin(TrainingControl& training, Logs&) override { EXPECT_THROW(training.state(), RuntimeError); }
  };
  const Tensor x = Tensor::zeros({8, 1});
  const Sequential model = models::linear_model();
  model.compile(models::standing_still());
  model.fit(x, x, {.verbose = 0, .callbacks = {make_callback<Meddler>()}});
  model.evaluate(x, x, {.verbose = 0, .callbacks = {make_callback<Meddler>()}});
}

}  // namespace
}  // namespace rhyton::callbacks
