#include <set>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/framework/error.h>
#include <rhyton/models/callbacks/callback.h>
#include <rhyton/tests/concurrency/several_threads.h>
#include <rhyton/tests/concurrency/small_models.h>
#include <rhyton/tests/support/message_of.h>

namespace rhyton::models {
namespace {

using callbacks::Callback;
using callbacks::CallbackImpl;
using callbacks::Logs;
using callbacks::make_callback;
using callbacks::TrainingControl;
using test::Bytes;
using test::bytes_of;
using test::message_of;
using test::on_threads;
using test::random_tensor;
using ::testing::HasSubstr;

/// Calls a function before the first step and after each; ends the training if it returns false.
class AtEachStep final : public CallbackImpl {
 public:
  explicit AtEachStep(std::function<bool()> action) : action_(std::move(action)) {}
  void on_train_begin(TrainingControl&, Logs&) override { action_(); }
  void on_train_batch_end(TrainingControl& control, std::int64_t, Logs&) override {
    if (!action_()) control.stop_training();
  }

 private:
  std::function<bool()> action_;
};

class OnceWithinFit final : public CallbackImpl {
 public:
  explicit OnceWithinFit(std::function<void()> action) : action_(std::move(action)) {}
  void on_train_batch_end(TrainingControl&, std::int64_t batch, Logs&) override {
    if (batch == 1 && action_) std::exchange(action_, nullptr)();
  }

 private:
  std::function<void()> action_;
};

/// The results of a model with the weights of each step.
struct Seen {
  std::set<Bytes> predictions;
  std::set<Bytes> calls;
  std::set<double> losses;

  bool operator==(const Seen&) const = default;
};

TEST(ConcurrentTraining, PredictionsBesideItAreThoseOfSomeStep) {
  const Sequential model = test::dense_model();
  model.compile(test::options_of_classifier());
  const Tensor x = random_tensor({40, 6}, 1);
  const Tensor y = test::labels(40);
  const Tensor asked = random_tensor({5, 6}, 2);
  const Tensor labels = test::labels(5);
  const auto note_predictions = [&](Seen& seen) { seen.predictions.insert(bytes_of(model.predict_on_batch(asked))); };
  const auto note_calls = [&](Seen& seen) { seen.calls.insert(bytes_of({model(asked)})); };
  const auto note_losses = [&](Seen& seen) {
    seen.losses.insert(model.evaluate(asked, labels, {.verbose = 0}).at("loss"));
  };
  Seen expected;
  // The number of results of each of the other threads so far.
  std::vector<std::atomic<std::size_t>> counts(4);
  const auto note_all = [&] {
    note_predictions(expected);
    note_calls(expected);
    note_losses(expected);
    constexpr std::size_t enough = 10;
    return counts[1] < enough || counts[2] < enough || counts[3] < enough;
  };
  std::atomic<bool> is_training{true};
  std::vector<Seen> seen(4);
  on_threads(4, [&](int number) {
    if (number == 0) {
      model.fit(x, y,
                {.batch_size = 4, .epochs = 5000, .verbose = 0, .callbacks = {make_callback<AtEachStep>(note_all)}});
      is_training = false;
      return;
    }
    Seen& own = seen[static_cast<std::size_t>(number)];
    while (is_training) {
      if (number == 1) note_predictions(own);
      if (number == 2) note_calls(own);
      if (number == 3) note_losses(own);
      counts[static_cast<std::size_t>(number)] = own.predictions.size() + own.calls.size() + own.losses.size();
    }
  });
  for (const Seen& own : seen) {
    for (const Bytes& prediction : own.predictions) EXPECT_TRUE(expected.predictions.contains(prediction));
    for (const Bytes& call : own.calls) EXPECT_TRUE(expected.calls.contains(call));
    for (const double loss : own.losses) EXPECT_TRUE(expected.losses.contains(loss)) << loss;
  }
  EXPECT_GE(seen[1].predictions.size(), 10U);
  EXPECT_GE(seen[2].calls.size(), 10U);
  EXPECT_GE(seen[3].losses.size(), 10U);
}

TEST(ConcurrentTraining, IsTheSameWithEvaluationsBesideIt) {
  const Tensor x = random_tensor({40, 6}, 3);
  const Tensor y = test::labels(40);
  const auto train = [&](bool with_others) {
    rhyton::set_random_seed(11);
    const Sequential model = test::dense_model();
    model.compile(test::options_of_classifier());
    std::atomic<bool> is_training{true};
    callbacks::ValuesByName<std::vector<double>> history;
    on_threads(with_others ? 3 : 1, [&](int number) {
      if (number == 0) {
        history = model.fit(x, y, {.batch_size = 4, .epochs = 10, .verbose = 0, .validation_data = {x, y}}).history;
        is_training = false;
      }
      while (is_training) {
        if (number == 1) model.evaluate(x, y, {.batch_size = 16, .verbose = 0});
        if (number == 2) model.test_on_batch(x, y);
      }
    });
    return history;
  };
  EXPECT_EQ(train(true), train(false));
}

TEST(ConcurrentTraining, ASecondThreadIsToldThatTheModelIsInUse) {
  const Tensor x = random_tensor({24, 6}, 4);
  const Tensor y = test::labels(24);
  const auto train = [&](const std::function<void(const Sequential&)>& meanwhile) {
    rhyton::set_random_seed(12);
    const Sequential model = test::dense_model();
    model.compile(test::options_of_classifier());
    const FitOptions options = {.batch_size = 4,
                                .epochs = 3,
                                .verbose = 0,
                                .callbacks = {make_callback<OnceWithinFit>([&] { meanwhile(model); })}};
    const History history = model.fit(x, y, options);
    std::vector<Tensor> weights = model.get_weights();
    // It may be trained again.
    EXPECT_NO_THROW(model.train_on_batch(x, y));
    return std::pair(history.history, bytes_of(weights));
  };
  std::vector<std::string> messages;
  const auto disturbed = train([&](const Sequential& model) {
    on_threads(1, [&](int) {
      messages.push_back(message_of<RuntimeError>([&] { model.fit(x, y, {.verbose = 0}); }));
      messages.push_back(message_of<RuntimeError>([&] { model.train_on_batch(x, y); }));
      messages.push_back(message_of<RuntimeError>([&] { model.compile(test::options_of_classifier()); }));
    });
  });
  const char* const methods[] = {"fit", "train_on_batch", "compile"};
  ASSERT_EQ(messages.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_THAT(messages[i], HasSubstr("is in use: `" + std::string(methods[i]) + "` was called while `fit` runs"));
  }
  EXPECT_EQ(disturbed, train([](const Sequential&) {}));
}

TEST(ConcurrentTraining, CompilingWithinACallbackIsRefused) {
  const Sequential model = test::dense_model();
  model.compile(test::options_of_classifier());
  std::string message;
  const Callback compiles = make_callback<OnceWithinFit>(
      [&] { message = message_of<RuntimeError>([&] { model.compile(test::options_of_classifier()); }); });
  model.fit(random_tensor({8, 6}, 4), test::labels(8), {.batch_size = 4, .verbose = 0, .callbacks = {compiles}});
  EXPECT_THAT(message, HasSubstr("is in use: `compile` was called while `fit` runs"));
}

TEST(ConcurrentTraining, OfTwoThreadsOneTrainsAndTheOtherIsTold) {
  const Sequential model = test::dense_model();
  model.compile(test::options_of_classifier());
  const Tensor x = random_tensor({64, 6}, 5);
  const Tensor y = test::labels(64);
  std::atomic<int> trained{0};
  std::atomic<int> refused{0};
  on_threads(4, [&](int) {
    for (int i = 0; i < 25; ++i) {
      try {
        model.fit(x, y, {.batch_size = 4, .verbose = 0});
        ++trained;
      } catch (const RuntimeError& error) {
        EXPECT_THAT(error.what(), HasSubstr("is in use"));
        ++refused;
      }
    }
  });
  EXPECT_GT(trained, 0);
  EXPECT_EQ(trained + refused, 100);
}

TEST(ConcurrentTraining, TwoModelsAreTrainedSideBySide) {
  const Tensor x = random_tensor({32, 6}, 6);
  const Tensor y = test::labels(32);
  rhyton::set_random_seed(13);
  std::vector<Sequential> models;
  for (int i = 0; i < 3; ++i) models.push_back(test::dense_model());
  for (const Sequential& model : models) {
    model.compile(test::options_of_classifier());
    model.set_weights(models.front().get_weights());
  }
  std::vector<double> losses(3);
  on_threads(3, [&](int number) {
    const auto at = static_cast<std::size_t>(number);
    losses[at] =
        models[at].fit(x, y, {.batch_size = 8, .epochs = 5, .verbose = 0, .shuffle = false}).history.at("loss").back();
  });
  EXPECT_EQ(losses[1], losses[0]);
  EXPECT_EQ(losses[2], losses[0]);
}

TEST(Evaluation, WithinACallbackLeavesTheSumsOfTheEpochAlone) {
  const Tensor x = random_tensor({24, 6}, 7);
  const Tensor y = test::labels(24);
  const auto train = [&](bool evaluates) {
    rhyton::set_random_seed(14);
    const Sequential model = test::dense_model();
    model.compile(test::options_of_classifier());
    const auto evaluate = [&] {
      if (evaluates) model.evaluate(x, y, {.verbose = 0});
      return true;
    };
    return model
        .fit(x, y, {.batch_size = 4, .epochs = 2, .verbose = 0, .callbacks = {make_callback<AtEachStep>(evaluate)}})
        .history;
  };
  EXPECT_EQ(train(true), train(false));
}

}  // namespace
}  // namespace rhyton::models
