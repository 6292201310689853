#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rhyton/framework/error.h>
#include <rhyton/models/model.h>
#include <rhyton/models/model_impl.h>
#include <rhyton/tests/concurrency/several_threads.h>
#include <rhyton/tests/concurrency/small_models.h>

namespace rhyton::models {
namespace {

using test::Bytes;
using test::bytes_of;
using test::on_threads;
using test::random_tensor;
using ::testing::HasSubstr;

// A learning rate of 0 keeps the weights unchanged, so that every result is known.
constexpr double still = 0.0;

TEST(ConcurrentCompiling, BesideFitIsRefusedOrComesBetweenTwo) {
  const Sequential model = test::dense_model();
  model.compile(test::options_of_classifier(still));
  const Tensor x = random_tensor({48, 6}, 1);
  const Tensor y = test::labels(48);
  const double loss = model.evaluate(x, y, {.verbose = 0}).at("loss");
  const Bytes predicted = bytes_of(model.predict_on_batch(x));
  std::atomic<bool> is_training{true};
  std::atomic<int> wrong{0};
  std::atomic<int> compiled{0};
  std::atomic<int> refused{0};
  int fits = 0;
  on_threads(4, [&](int number) {
    if (number == 0) {
      for (int i = 0; i < 2000 && (fits < 30 || compiled < 5 || refused < 5); ++i) {
        try {
          const History history = model.fit(x, y, {.batch_size = 8, .verbose = 0, .shuffle = false});
          wrong += history.history.at("loss").size() == 1 ? 0 : 1;
          ++fits;
        } catch (const RuntimeError& error) {
          EXPECT_THAT(error.what(), HasSubstr("`fit` was called while `compile` runs"));
        }
        // Lets the other threads run.
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
      is_training = false;
    }
    while (is_training) {
      if (number == 1) {
        try {
          model.compile(test::options_of_classifier(still));
          ++compiled;
        } catch (const RuntimeError& error) {
          EXPECT_THAT(error.what(), HasSubstr("`compile` was called while `fit` runs"));
          ++refused;
        }
        std::this_thread::sleep_for(std::chrono::microseconds(200));
      }
      if (number == 2) wrong += bytes_of(model.predict_on_batch(x)) == predicted ? 0 : 1;
      if (number == 3) wrong += model.evaluate(x, y, {.verbose = 0}).at("loss") == loss ? 0 : 1;
    }
  });
  EXPECT_EQ(wrong, 0);
  EXPECT_GE(fits, 30);
  EXPECT_GE(compiled, 5);
  EXPECT_GE(refused, 5);
  // Compiling, training and predicting work afterwards.
  EXPECT_NO_THROW(model.compile(test::options_of_classifier(still)));
  EXPECT_NO_THROW(model.train_on_batch(x, y));
  EXPECT_EQ(bytes_of(model.predict_on_batch(x)), predicted);
}

TEST(ConcurrentCompiling, PredictionsUnderWayEndWithTheStepsThatTheyBeganWith) {
  const Sequential model = test::image_model();
  const Tensor x = random_tensor({6, 9, 9, 2}, 2);
  const Bytes expected = bytes_of(model.predict_on_batch(x));
  std::atomic<bool> is_compiling{true};
  std::atomic<int> wrong{0};
  on_threads(3, [&](int number) {
    if (number == 0) {
      for (int i = 0; i < 60; ++i) {
        model.compile(test::options_of_classifier());
        model.predict(x, {.batch_size = 2, .verbose = 0});
      }
      is_compiling = false;
    }
    while (is_compiling) {
      wrong += bytes_of({model.predict(x, {.batch_size = 6, .verbose = 0})}) == expected ? 0 : 1;
    }
  });
  EXPECT_EQ(wrong, 0);
}

TEST(ConcurrentCompiling, ArgumentsReadBesideItAreThoseOfOneCompile) {
  const Sequential model = test::dense_model();
  // With the one or the other arguments.
  const auto compile = [&](bool is_second) {
    const std::string loss = is_second ? "mse" : "mae";
    std::vector<metrics::MetricArgument> metrics(is_second ? 20 : 10, loss);
    model.compile(
        {.optimizer = optimizers::SGD({.learning_rate = is_second ? 0.5 : 0.25}), .loss = loss, .metrics = metrics});
  };
  compile(false);
  const CompileOptions first = model.compile_options();
  std::atomic<bool> is_compiling{true};
  std::atomic<int> wrong{0};
  on_threads(4, [&](int number) {
    if (number == 0) {
      for (int i = 0; i < 500; ++i) compile(i % 2 == 0);
      is_compiling = false;
    }
    while (is_compiling) {
      const CompileOptions options = model.compile_options();
      const bool is_second = options.metrics.list().size() == 20;
      const std::string name = is_second ? "mse" : "mae";
      wrong += model.is_compiled() ? 0 : 1;
      wrong += options.metrics.list().back().identifier() == name ? 0 : 1;
      wrong += options.optimizer.learning_rate().item() == (is_second ? 0.5 : 0.25) ? 0 : 1;
      const double rate = model.optimizer().learning_rate().item();
      wrong += rate == 0.5 || rate == 0.25 ? 0 : 1;
      wrong += model.model_impl()->trainer().is_chief() ? 0 : 1;
      if (number == 3) wrong += model.to_json().empty() ? 1 : 0;
    }
  });
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(first.metrics.list().size(), 10U);
}

}  // namespace
}  // namespace rhyton::models
