#include <atomic>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/autodiff/gradient_tape.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/optimizers/adam.h>
#include <rhyton/optimizers/optimizer.h>
#include <rhyton/tests/concurrency/several_threads.h>
#include <rhyton/tests/concurrency/small_models.h>

namespace rhyton::models {
namespace {

using test::Bytes;
using test::bytes_of;
using test::on_threads;
using test::random_tensor;

/// In a custom training loop `apply` is the step: other threads read the weights from before or after it.
void expect_whole_steps(const optimizers::Optimizer& optimizer) {
  const Sequential model = test::dense_model();
  const Tensor x = random_tensor({20, 6}, 1);
  const Tensor asked = random_tensor({5, 6}, 2);
  const std::vector<Variable> weights = model.trainable_weights();
  std::vector<std::set<Bytes>> seen(4);
  std::vector<std::atomic<std::size_t>> counts(4);
  const auto enough = [&] { return counts[1] >= 8 && counts[2] >= 8 && counts[3] >= 8; };
  std::set<Bytes> predictions;
  std::set<Bytes> calls;
  std::set<Bytes> values;
  const auto note_all = [&] {
    predictions.insert(bytes_of(model.predict_on_batch(asked)));
    calls.insert(bytes_of({model(asked)}));
    values.insert(bytes_of(model.get_weights()));
  };
  std::atomic<bool> is_training{true};
  on_threads(4, [&](int number) {
    if (number == 0) {
      note_all();
      for (int step = 0; step < 5000 && (step < 50 || !enough()); ++step) {
        GradientTape tape;
        const Tensor loss = mean(square(model(x)));
        optimizer.apply(tape.gradient(loss, weights), weights);
        note_all();
      }
      is_training = false;
      return;
    }
    const auto at = static_cast<std::size_t>(number);
    while (is_training) {
      if (number == 1) seen[at].insert(bytes_of(model.predict_on_batch(asked)));
      if (number == 2) seen[at].insert(bytes_of({model(asked)}));
      if (number == 3) seen[at].insert(bytes_of(model.get_weights()));
      counts[at] = seen[at].size();
    }
  });
  for (const Bytes& bytes : seen[1]) EXPECT_TRUE(predictions.contains(bytes));
  for (const Bytes& bytes : seen[2]) EXPECT_TRUE(calls.contains(bytes));
  for (const Bytes& bytes : seen[3]) EXPECT_TRUE(values.contains(bytes));
  for (const std::size_t thread : {1, 2, 3}) EXPECT_GE(seen[thread].size(), 8U);
}

TEST(CustomTrainingLoops, ApplyGradientsInOneStep) {
  expect_whole_steps(optimizers::SGD({.learning_rate = 0.01, .momentum = 0.9}));
}

TEST(CustomTrainingLoops, ApplyGradientsInOneStepWithWeightDecayAndSlots) {
  expect_whole_steps(optimizers::Adam({.learning_rate = 0.001, .weight_decay = 0.01}));
}

}  // namespace
}  // namespace rhyton::models
