#include <map>
#include <mutex>

#include <gtest/gtest.h>

#include <rhyton/framework/device/config.h>
#include <rhyton/layers/regularization/dropout.h>
#include <rhyton/layers/reshaping/flatten.h>
#include <rhyton/models/model_impl.h>
#include <rhyton/models/training/step_cache.h>
#include <rhyton/tests/concurrency/several_threads.h>
#include <rhyton/tests/concurrency/small_models.h>

namespace rhyton::models {
namespace {

using test::Bytes;
using test::bytes_of;
using test::on_threads;
using test::random_tensor;

TEST(ConcurrentPredictions, EqualThoseOfOneThread) {
  const Sequential model = test::dense_model();
  const Tensor x = random_tensor({8, 6}, 1);
  const Bytes expected = bytes_of(model.predict_on_batch(x));
  std::atomic<int> wrong{0};
  on_threads(4, [&](int) {
    for (int i = 0; i < 500; ++i) wrong += bytes_of(model.predict_on_batch(x)) != expected ? 1 : 0;
  });
  EXPECT_EQ(wrong, 0);
}

TEST(ConcurrentPredictions, OfMoreShapesThanTheCacheOfStepsKeeps) {
  const Sequential model = test::image_model();
  std::vector<Tensor> inputs;
  std::vector<Bytes> expected;
  for (const std::int64_t size : {5, 6, 9}) {
    for (const std::int64_t batch : {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}) {
      inputs.push_back(random_tensor({batch, size, size, 2}, static_cast<unsigned>(10 * size + batch)));
      expected.push_back(bytes_of(model.predict_on_batch(inputs.back())));
    }
  }
  ASSERT_GT(inputs.size(), training::StepCache<int>::capacity);
  std::atomic<int> wrong{0};
  on_threads(4, [&](int number) {
    for (std::size_t i = 0; i < 500; ++i) {
      // Mostly the same few inputs, in a different order for each thread, and sometimes another one.
      const std::size_t all = inputs.size();
      const std::size_t at = i % 5 == 0 ? (7 * i + 11 * static_cast<std::size_t>(number)) % all : i % 3;
      wrong += bytes_of(model.predict_on_batch(inputs[at])) != expected[at] ? 1 : 0;
    }
  });
  EXPECT_EQ(wrong, 0);
}

TEST(ConcurrentPredictions, StandBesideEvaluationsAndCalls) {
  const Sequential model = test::dense_model();
  model.compile(test::options_of_classifier());
  const Tensor x = random_tensor({30, 6}, 2);
  const Tensor y = test::labels(30);
  const Tensor others = random_tensor({21, 6}, 3);
  const Bytes predicted = bytes_of({model.predict(x, {.batch_size = 8, .verbose = 0})});
  const Bytes called = bytes_of({model(x)});
  const auto evaluate = [&](const Tensor& data) {
    const callbacks::Logs logs = model.evaluate(data, test::labels(data.shape()[0]), {.batch_size = 8, .verbose = 0});
    return std::pair(logs.at("loss"), logs.at("accuracy"));
  };
  const auto test_on_batch = [&] {
    const callbacks::Logs logs = model.test_on_batch(x, y);
    return std::pair(logs.at("loss"), logs.at("accuracy"));
  };
  const auto evaluated = evaluate(x);
  const auto others_evaluated = evaluate(others);
  const auto tested = test_on_batch();
  ASSERT_NE(evaluated, others_evaluated);
  std::atomic<int> wrong{0};
  on_threads(5, [&](int number) {
    for (int i = 0; i < 150; ++i) {
      switch (number) {
        case 0:
          wrong += bytes_of({model.predict(x, {.batch_size = 8, .verbose = 0})}) != predicted ? 1 : 0;
          break;
        case 1:
          wrong += bytes_of({model(x)}) != called ? 1 : 0;
          break;
        case 2:
          wrong += evaluate(x) != evaluated ? 1 : 0;
          break;
        case 3:
          wrong += evaluate(others) != others_evaluated ? 1 : 0;
          break;
        default:
          wrong += test_on_batch() != tested ? 1 : 0;
      }
    }
  });
  EXPECT_EQ(wrong, 0);
}

TEST(ConcurrentPredictions, AreRightWhereTheModelRunsEagerly) {
  const Sequential model = test::dense_model();
  CompileOptions options = test::options_of_classifier();
  options.run_eagerly = true;
  model.compile(options);
  const Tensor x = random_tensor({12, 6}, 4);
  const Tensor y = test::labels(12);
  const Bytes predicted = bytes_of(model.predict_on_batch(x));
  const double loss = model.evaluate(x, y, {.batch_size = 4, .verbose = 0}).at("loss");
  std::atomic<int> wrong{0};
  on_threads(4, [&](int number) {
    for (int i = 0; i < 50; ++i) {
      if (number % 2 == 0) {
        wrong += bytes_of(model.predict_on_batch(x)) != predicted ? 1 : 0;
      } else {
        wrong += model.evaluate(x, y, {.batch_size = 4, .verbose = 0}).at("loss") != loss ? 1 : 0;
      }
    }
  });
  EXPECT_EQ(wrong, 0);
}

TEST(ConcurrentPredictions, BuildTheModelOnce) {
  for (int round = 0; round < 20; ++round) {
    const Sequential model({layers::Dense(16, {.activation = "relu"}), layers::Flatten(), layers::Dense(3)});
    const Tensor x = random_tensor({4, 6}, 5);
    std::vector<Bytes> results(4);
    on_threads(4, [&](int number) {
      results[static_cast<std::size_t>(number)] =
          bytes_of(number % 2 == 0 ? model.predict_on_batch(x) : std::vector<Tensor>{model.predict(x, {.verbose = 0})});
    });
    ASSERT_EQ(model.weights().size(), 4U);
    const Bytes expected = bytes_of(model.predict_on_batch(x));
    for (const Bytes& result : results) ASSERT_EQ(result, expected);
  }
}

// Layers that draw random numbers in predictions write the state of their generator: such predictions run one at a
// time.
TEST(ConcurrentPredictions, ThatDrawRandomNumbersTakeTurns) {
  const layers::SymbolicTensor input = layers::Input({.shape = {64}});
  const Model model({.inputs = input, .outputs = layers::Dropout(0.5, {.seed = 7})(input, {.training = true})});
  const Tensor x = random_tensor({4, 64}, 6);
  constexpr int predictions = 100;
  std::map<Bytes, int> drawn;
  std::mutex mutex;
  on_threads(4, [&](int) {
    for (int i = 0; i < predictions; ++i) {
      Bytes bytes = bytes_of(model.predict_on_batch(x));
      const std::scoped_lock lock(mutex);
      ++drawn[std::move(bytes)];
    }
  });
  // Each is a separate draw.
  EXPECT_EQ(drawn.size(), 4U * predictions);
}

TEST(ConcurrentPredictions, OfOneModelNeedMemoryForEachCallThatRunsAtOnce) {
  const Sequential model = test::dense_model();
  const Tensor x = random_tensor({8, 6}, 7);
  model.predict_on_batch(x);
  const std::size_t one = model.model_impl()->trainer().compiled_steps().front().arena_bytes;
  ASSERT_GT(one, 0U);
  on_threads(4, [&](int) {
    for (int i = 0; i < 50; ++i) model.predict_on_batch(x);
  });
  const std::size_t several = model.model_impl()->trainer().compiled_steps().front().arena_bytes;
  EXPECT_GE(several, one);
  EXPECT_LE(several, 4 * one);
}

/// The bytes of all tensors that a model of that kind has after predictions of batches of those sizes, twice.
std::size_t bytes_after_predictions(const std::vector<std::int64_t>& batches) {
  const std::size_t before = config::get_memory_info("CPU:0").current;
  const Sequential model = test::image_model();
  for (int round = 0; round < 2; ++round) {
    for (const std::int64_t batch : batches) {
      const Tensor x = random_tensor({batch, 24, 24, 2}, 1);
      model.predict_on_batch(x);
    }
  }
  return config::get_memory_info("CPU:0").current - before;
}

TEST(ConcurrentPredictions, OfManySizesOfTheBatchShareMemory) {
  const std::size_t largest = bytes_after_predictions({64});
  std::vector<std::int64_t> batches;
  for (std::int64_t batch = 1; batch <= 64; ++batch) batches.push_back(batch);
  // Constants of the graphs are each step's own.
  EXPECT_LE(bytes_after_predictions(batches), largest + largest / 8);
}

}  // namespace
}  // namespace rhyton::models
