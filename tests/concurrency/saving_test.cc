#include <atomic>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/layers/reshaping/flatten.h>
#include <rhyton/models/model.h>
#include <rhyton/optimizers/adam.h>
#include <rhyton/tests/concurrency/several_threads.h>
#include <rhyton/tests/concurrency/small_models.h>
#include <rhyton/tests/framework/io/temporary_folder.h>

namespace rhyton::models {
namespace {

using test::Bytes;
using test::bytes_of;
using test::on_threads;
using test::random_tensor;

/// Built by the first call.
Sequential model_to_build() {
  return Sequential({layers::Dense(16, {.activation = "relu"}), layers::Dense(12, {.activation = "relu"}),
                     layers::Flatten(), layers::Dense(3)});
}

/// One thread predicts, which builds the model, another one saves it.
void expect_saved_whole(const std::string& extension) {
  const test::TemporaryFolder folder;
  const Tensor x = random_tensor({4, 6}, 1);
  for (int round = 0; round < 15; ++round) {
    const Sequential model = model_to_build();
    const std::string path = (folder / ("model" + extension)).string();
    Bytes predicted;
    on_threads(3, [&](int number) {
      if (number == 0) predicted = bytes_of(model.predict_on_batch(x));
      if (number == 1) model.save(path);
      if (number == 2) model(x);
    });
    const Model loaded = load_model(path);
    // Before it was built, or afterwards.
    if (loaded.is_built()) {
      ASSERT_EQ(loaded.weights().size(), 6U);
      EXPECT_EQ(bytes_of(loaded.predict_on_batch(x)), predicted);
    }
  }
}

TEST(ConcurrentSaving, BesideAThreadThatBuildsTheModel) { expect_saved_whole(".keras"); }

TEST(ConcurrentSaving, InTheLegacyFormatBesideAThreadThatBuildsTheModel) { expect_saved_whole(".h5"); }

/// The first step creates the optimizer's variables. Weights, slots and number of steps in a file belong to the same
/// step.
TEST(ConcurrentSaving, BesideATrainingThatBegins) {
  const test::TemporaryFolder folder;
  const Tensor x = random_tensor({16, 6}, 2);
  const Tensor y = test::labels(16);
  for (int round = 0; round < 6; ++round) {
    const Sequential model = test::dense_model();
    CompileOptions options = test::options_of_classifier();
    options.optimizer = optimizers::Adam(0.01);
    model.compile(options);
    const std::string path = (folder / "model.keras").string();
    std::atomic<bool> is_training{true};
    // The number of steps before each state of the weights.
    std::map<Bytes, int> steps = {{bytes_of(model.get_weights()), 0}};
    std::vector<std::pair<Bytes, int>> saved;
    on_threads(2, [&](int number) {
      if (number == 0) {
        for (int step = 1; step <= 40; ++step) {
          model.train_on_batch(x, y);
          steps[bytes_of(model.get_weights())] = step;
        }
        is_training = false;
        return;
      }
      do {
        model.save(path);
        const Model loaded = load_model(path);
        const std::vector<Variable> state = loaded.optimizer().variables();
        const int iterations = static_cast<int>(state.at(0).value().item());
        saved.emplace_back(bytes_of(loaded.get_weights()), iterations);
        EXPECT_TRUE(iterations == 0 || state.size() == 2U + 2U * 4U) << state.size();
      } while (is_training);
    });
    for (const auto& [weights, iterations] : saved) {
      ASSERT_TRUE(steps.contains(weights)) << "weights of no step";
      EXPECT_EQ(steps.at(weights), iterations);
    }
  }
}

}  // namespace
}  // namespace rhyton::models
