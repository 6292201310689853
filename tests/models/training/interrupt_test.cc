// The effect of SIGINT on `fit`. The signals are real ones that the process sends to itself.

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/framework/io/atomic_file.h>
#include <rhyton/models/callbacks/callback.h>
#include <rhyton/models/callbacks/csv_logger.h>
#include <rhyton/models/callbacks/early_stopping.h>
#include <rhyton/models/keyboard_interrupt.h>
#include <rhyton/optimizers/sgd.h>
#include <rhyton/tests/framework/io/temporary_folder.h>
#include <rhyton/tests/models/training/small_models.h>
#include <rhyton/tests/support/environment_variable.h>

namespace rhyton::models {
namespace {

namespace fs = std::filesystem;
using callbacks::Logs;
using Control = callbacks::TrainingControl;
using test::TemporaryFolder;
using ::testing::ElementsAre;

/// The names of the hooks called, and the weights after each step.
struct Events {
  std::vector<std::string> names;
  std::vector<Tensor> weights_after_step;
};

struct Interruption {
  /// "train_batch_begin", "test_batch_end", "epoch_end", "train_end", …
  std::string place;
  /// How often that place was passed before.
  int passed_before = 0;
};

class Recorder final : public callbacks::CallbackImpl {
 public:
  Recorder(Events& events, Interruption interruption, std::function<void()> action)
      : events_(events), interruption_(std::move(interruption)), action_(std::move(action)) {}

  void on_train_begin(Control&, Logs&) override { meet("train_begin"); }
  void on_train_end(Control&, Logs&) override { meet("train_end"); }
  void on_train_interrupted(Control&, Logs& logs) override {
    EXPECT_TRUE(logs.find("loss"));
    meet("train_interrupted");
  }
  void on_epoch_begin(Control&, int, Logs&) override { meet("epoch_begin"); }
  void on_epoch_end(Control&, int, Logs&) override { meet("epoch_end"); }
  void on_train_batch_begin(Control&, std::int64_t, Logs&) override { meet("train_batch_begin"); }
  void on_train_batch_end(Control& control, std::int64_t, Logs&) override {
    events_.weights_after_step = copies_of_weights(control.model());
    meet("train_batch_end");
  }
  void on_test_batch_end(Control&, std::int64_t, Logs&) override { meet("test_batch_end"); }

 private:
  void meet(const std::string& place) {
    events_.names.push_back(place);
    if (place == interruption_.place && interruption_.passed_before-- == 0) action_();
  }

  Events& events_;
  Interruption interruption_;
  std::function<void()> action_;
};

void send_interrupt() { ::kill(::getpid(), SIGINT); }

/// Two epochs of three steps each, with an interruption.
class Fit {
 public:
  explicit Fit(const Interruption& interruption, std::function<void()> action = send_interrupt) {
    model_.compile({.optimizer = optimizers::SGD({.learning_rate = 0.01}), .loss = "mse"});
    callbacks_.push_back(callbacks::make_callback<Recorder>(events_, interruption, std::move(action)));
  }

  void add(const callbacks::Callback& callback) { callbacks_.push_back(callback); }
  History run(const ValidationData& validation = {}) {
    return model_.fit(x_, y_,
                      {.batch_size = 2,
                       .epochs = 2,
                       .verbose = 0,
                       .callbacks = callbacks_,
                       .validation_data = validation,
                       .shuffle = false});
  }
  History run_with_validation() { return run({x_, y_}); }

  const Sequential& model() const { return model_; }
  const Events& events() const { return events_; }
  int count(const std::string& name) const {
    return static_cast<int>(std::count(events_.names.begin(), events_.names.end(), name));
  }

 private:
  Tensor x_ = column({0, 1, 2, 3, 4, 5});
  Tensor y_ = column({1, 3, 5, 7, 9, 11});
  Events events_;
  Sequential model_ = linear_model(1, 0);
  std::vector<callbacks::Callback> callbacks_;
};

void (*disposition())(int) {
  struct sigaction now {};
  ::sigaction(SIGINT, nullptr, &now);
  return now.sa_handler;
}

/// Sets the disposition of SIGINT, and restores the previous one.
class Disposition {
 public:
  explicit Disposition(void (*handler)(int)) : before_(std::signal(SIGINT, handler)) {}
  ~Disposition() { std::signal(SIGINT, before_); }
  Disposition(const Disposition&) = delete;
  Disposition& operator=(const Disposition&) = delete;

 private:
  void (*before_)(int);
};

/// With the disposition of programs in the foreground.
class Interrupt : public testing::Test {
 protected:
  Disposition usual_{SIG_DFL};
};

TEST_F(Interrupt, EndsFitAfterTheStepUnderWay) {
  Fit fit({.place = "train_batch_begin", .passed_before = 1});
  EXPECT_THROW(fit.run(), KeyboardInterrupt);
  EXPECT_THAT(fit.events().names, ElementsAre("train_begin", "epoch_begin", "train_batch_begin", "train_batch_end",
                                              "train_batch_begin", "train_batch_end", "train_interrupted"));
  EXPECT_EQ(fit.model().optimizer().iterations().item(), 2);
  EXPECT_EQ(disposition(), SIG_DFL);
}

TEST_F(Interrupt, LeavesTheWeightsAsTheStepHasMadeThem) {
  Fit fit({.place = "train_batch_end", .passed_before = 4});
  fit.add(callbacks::EarlyStopping({.monitor = "loss", .mode = "max", .restore_best_weights = true}));
  EXPECT_THROW(fit.run(), KeyboardInterrupt);
  const std::vector<Tensor> weights = fit.model().get_weights();
  ASSERT_EQ(weights.size(), fit.events().weights_after_step.size());
  for (std::size_t i = 0; i < weights.size(); ++i) {
    EXPECT_EQ(weights[i].to_vector(), fit.events().weights_after_step[i].to_vector());
  }
}

TEST_F(Interrupt, TheModelCanGoOnAfterwards) {
  Fit fit({.place = "train_batch_begin", .passed_before = 1});
  EXPECT_THROW(fit.run(), KeyboardInterrupt);
  EXPECT_EQ(fit.run().epoch.size(), 2);
  EXPECT_EQ(fit.count("train_end"), 1);
}

TEST_F(Interrupt, EndsTheValidationWithinFit) {
  Fit fit({.place = "test_batch_end", .passed_before = 1});
  EXPECT_THROW(fit.run_with_validation(), KeyboardInterrupt);
  EXPECT_EQ(fit.count("test_batch_end"), 2);
  EXPECT_EQ(fit.count("epoch_end"), 0);
  EXPECT_EQ(fit.events().names.back(), "train_interrupted");
}

TEST_F(Interrupt, AfterTheLastStepIsMetBeforeTrainingHasEnded) {
  Fit fit({.place = "epoch_end", .passed_before = 1});
  EXPECT_THROW(fit.run(), KeyboardInterrupt);
  EXPECT_EQ(fit.count("epoch_end"), 2);
  EXPECT_EQ(fit.count("train_end"), 0);
  EXPECT_EQ(fit.events().names.back(), "train_interrupted");
}

TEST_F(Interrupt, ClosesTheFilesOfCallbacks) {
  const TemporaryFolder folder;
  const std::string log = folder / "log.csv";
  const auto is_open = [&] {
    for (const auto& entry : fs::directory_iterator("/proc/self/fd")) {
      std::error_code ignored;
      if (fs::read_symlink(entry.path(), ignored) == log) return true;
    }
    return false;
  };
  bool was_open = false;
  Fit fit({.place = "train_batch_end", .passed_before = 3}, [&] {
    was_open = is_open();
    send_interrupt();
  });
  const callbacks::CSVLogger logger(log);
  fit.add(logger);
  EXPECT_THROW(fit.run(), KeyboardInterrupt);
  EXPECT_TRUE(was_open);
  EXPECT_FALSE(is_open());
  EXPECT_TRUE(test::content_of(log).starts_with("epoch,loss"));
}

TEST_F(Interrupt, ACallbackMayThrowItToo) {
  Fit fit({.place = "train_batch_end"}, [] { throw KeyboardInterrupt(); });
  EXPECT_THROW(fit.run(), KeyboardInterrupt);
  EXPECT_EQ(fit.events().names.back(), "train_interrupted");
}

TEST_F(Interrupt, IsNoError) {
  EXPECT_FALSE((std::is_base_of_v<Error, KeyboardInterrupt>));
  EXPECT_STREQ(KeyboardInterrupt().what(), "interrupted");
}

TEST_F(Interrupt, AnIgnoredSignalStaysIgnored) {
  const Disposition ignored(SIG_IGN);
  Fit fit({.place = "train_batch_begin"});
  EXPECT_EQ(fit.run().epoch.size(), 2);
  EXPECT_EQ(disposition(), SIG_IGN);
}

volatile std::sig_atomic_t received = 0;
void note(int) { received = received + 1; }

TEST_F(Interrupt, AHandlerOfTheProgramIsLeftAlone) {
  const Disposition own(&note);
  received = 0;
  Fit fit({.place = "train_batch_begin"});
  EXPECT_EQ(fit.run().epoch.size(), 2);
  EXPECT_EQ(received, 1);
  EXPECT_EQ(disposition(), &note);
}

TEST_F(Interrupt, TheHandlerIsThereDuringFitOnly) {
  void (*within)(int) = SIG_DFL;
  Fit fit({.place = "train_batch_begin"}, [&] { within = disposition(); });
  EXPECT_EQ(disposition(), SIG_DFL);
  fit.run();
  EXPECT_NE(within, SIG_DFL);
  EXPECT_EQ(disposition(), SIG_DFL);
}

TEST_F(Interrupt, AnExceptionPutsBackWhatWasThere) {
  Fit fit({.place = "train_batch_begin"}, [] { throw ValueError("something else"); });
  EXPECT_THROW(fit.run(), ValueError);
  EXPECT_EQ(disposition(), SIG_DFL);
  EXPECT_EQ(fit.count("train_interrupted"), 0);
}

TEST_F(Interrupt, EndsAFitWithinAFitAndThenTheOuterOne) {
  Fit inner({.place = "train_batch_begin"});
  Fit outer({.place = "epoch_end"}, [&] { EXPECT_THROW(inner.run(), KeyboardInterrupt); });
  EXPECT_THROW(outer.run(), KeyboardInterrupt);
  EXPECT_EQ(outer.count("epoch_end"), 1);
  EXPECT_EQ(outer.count("train_batch_end"), 4);
  EXPECT_EQ(disposition(), SIG_DFL);
}

TEST_F(Interrupt, EndsTheFitsOfAllThreads) {
  std::atomic<int> running = 0;
  std::atomic<bool> is_sent = false;
  const auto train_for_ever = [&](bool sends) {
    Fit fit({.place = "train_batch_end"}, [&] {
      ++running;
      while (running < 2) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      if (sends) {
        send_interrupt();
        is_sent = true;
      }
      // Both end their steps after the signal was delivered: to the main thread, which sends it.
      while (!is_sent) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    });
    EXPECT_THROW(fit.run(), KeyboardInterrupt);
    EXPECT_EQ(fit.count("train_batch_end"), 1);
  };
  std::thread other([&] { train_for_ever(false); });
  train_for_ever(true);
  other.join();
  EXPECT_EQ(disposition(), SIG_DFL);
}

using InterruptDeathTest = Interrupt;

TEST_F(InterruptDeathTest, TheSecondSignalEndsTheProcessAtOnce) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  Fit fit({.place = "train_batch_begin"}, [] {
    send_interrupt();
    send_interrupt();
    std::_Exit(0);  // unreachable
  });
  EXPECT_EXIT(fit.run(), testing::KilledBySignal(SIGINT), "");
}

TEST_F(InterruptDeathTest, NoTemporaryFileOfASaveStaysBehind) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  // The folder outlives the dying process, which runs this test from its beginning and finds the path in a variable.
  constexpr const char* variable = "RHYTON_TEST_INTERRUPTED_SAVE";
  const char* const given = std::getenv(variable);
  std::optional<TemporaryFolder> own;
  if (given == nullptr) own.emplace();
  const fs::path folder = own ? *own / "saved" : fs::path(given);
  const test::EnvironmentVariable for_the_process(variable, folder.string());
  const auto save_and_interrupt = [&] {
    fs::create_directory(folder);
    Fit fit({.place = "train_batch_begin"}, [&] {
      io::AtomicFile file(folder / "model.keras");
      file.write("half of it");
      if (test::content_of(file.temporary_path()) != "half of it") std::_Exit(1);
      send_interrupt();
      send_interrupt();
      std::_Exit(0);  // unreachable
    });
    fit.run();
  };
  EXPECT_EXIT(save_and_interrupt(), testing::KilledBySignal(SIGINT), "");
  EXPECT_TRUE(fs::exists(folder));
  EXPECT_TRUE(fs::is_empty(folder));
}

TEST_F(InterruptDeathTest, ASignalThatNoFitHasMetEndsTheProcess) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  Fit fit({.place = "train_end"});
  EXPECT_EXIT(fit.run(), testing::KilledBySignal(SIGINT), "");
}

TEST_F(InterruptDeathTest, CanBeSwitchedOff) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_TRUE(config::is_interrupt_handling_enabled());
  Fit fit({.place = "train_batch_begin"});
  const auto run_without = [&] {
    config::disable_interrupt_handling();
    fit.run();
  };
  EXPECT_EXIT(run_without(), testing::KilledBySignal(SIGINT), "");
  EXPECT_TRUE(config::is_interrupt_handling_enabled());
}

TEST_F(InterruptDeathTest, EvaluateAloneIsNotAffected) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const Sequential model = linear_model();
  model.compile(standing_still());
  Events events;
  const callbacks::Callback sender =
      callbacks::make_callback<Recorder>(events, Interruption{.place = "test_batch_end"}, send_interrupt);
  const Tensor x = column({0, 1});
  EXPECT_EXIT(model.evaluate(x, x, {.verbose = 0, .callbacks = {sender}}), testing::KilledBySignal(SIGINT), "");
}

}  // namespace
}  // namespace rhyton::models
