#include <rhyton/tests/framework/distribute/training_setup.h>

#include <atomic>

#include <rhyton/layers/core/dense.h>
#include <rhyton/layers/core/input.h>
#include <rhyton/models/sequential.h>
#include <rhyton/optimizers/sgd.h>
#include <rhyton/tests/concurrency/several_threads.h>
#include <rhyton/tests/concurrency/small_models.h>

// Replicas run alternately with other threads, which see consistent values.

namespace rhyton::distribute {
namespace {

using models::CompileOptions;
using test::bytes_of;

models::Model model_under(int replicas) {
  const Strategy strategy = MirroredStrategy(logical_cpus(replicas));
  const auto scope = strategy.scope();
  models::Model model = test::dense_model();
  model.compile(test::options_of_classifier());
  return model;
}

TEST(MirroredConcurrency, PredictionsAndEvaluationsEqualThoseOfOneThread) {
  const models::Model model = model_under(2);
  const Tensor x = test::random_tensor({12, 6}, 1);
  const Tensor y = test::labels(12);
  const test::Bytes predicted = bytes_of(model.predict_on_batch(x));
  const auto evaluate = [&] { return model.evaluate(x, y, {.batch_size = 5, .verbose = 0}).at("loss"); };
  const double loss = evaluate();
  std::atomic<int> wrong{0};
  test::on_threads(4, [&](int number) {
    for (int i = 0; i < 40; ++i) {
      if (number % 2 == 0) {
        wrong += bytes_of(model.predict_on_batch(x)) != predicted ? 1 : 0;
      } else {
        wrong += evaluate() != loss ? 1 : 0;
      }
    }
  });
  EXPECT_EQ(wrong, 0);
}

TEST(MirroredConcurrency, TrainingIsTheSameWithEvaluationsBesideIt) {
  const Tensor x = test::random_tensor({24, 6}, 2);
  const Tensor y = test::labels(24);
  const auto train = [&](bool with_others) {
    rhyton::set_random_seed(21);
    const models::Model model = model_under(2);
    std::atomic<bool> is_training{true};
    callbacks::ValuesByName<std::vector<double>> history;
    test::on_threads(with_others ? 3 : 1, [&](int number) {
      if (number == 0) {
        history = model.fit(x, y, {.batch_size = 4, .epochs = 5, .verbose = 0}).history;
        is_training = false;
      }
      while (is_training) {
        if (number == 1) model.evaluate(x, y, {.batch_size = 8, .verbose = 0});
        if (number == 2) model.predict_on_batch(x);
      }
    });
    return history;
  };
  EXPECT_EQ(train(true), train(false));
}

/// The same model several times, each trained by a thread of its own, all under one strategy.
std::vector<std::vector<double>> losses_of_models(int models, bool eagerly) {
  const Strategy strategy = MirroredStrategy(logical_cpus(2));
  const auto scope = strategy.scope();
  const Tensor x = test::random_tensor({24, 6}, 3);
  const Tensor y = test::labels(24);
  const std::vector<Tensor> weights = [] {
    rhyton::set_random_seed(22);
    return test::dense_model().get_weights();
  }();
  std::vector<std::vector<double>> losses(static_cast<std::size_t>(models));
  test::on_threads(models, [&](int number) {
    // Steps are made, and variables mirrored, while others run.
    const auto own_scope = strategy.scope();
    for (int round = 0; round < 3; ++round) {
      const models::Model model = test::dense_model();
      CompileOptions options = test::options_of_classifier();
      options.run_eagerly = eagerly;
      model.compile(options);
      model.set_weights(weights);
      for (const std::int64_t batch_size : {8, 6}) {
        const models::FitOptions fit = {.batch_size = batch_size, .epochs = 2, .verbose = 0, .shuffle = false};
        const std::vector<double> history = model.fit(x, y, fit).history.at("loss");
        std::vector<double>& own = losses[static_cast<std::size_t>(number)];
        own.insert(own.end(), history.begin(), history.end());
      }
    }
  });
  return losses;
}

TEST(MirroredConcurrency, ModelsUnderOneStrategyAreTrainedByThreadsOfTheirOwn) {
  for (const bool eagerly : {false, true}) {
    const std::vector<double> expected = losses_of_models(1, eagerly).front();
    for (const std::vector<double>& losses : losses_of_models(3, eagerly)) EXPECT_EQ(losses, expected) << eagerly;
  }
}

}  // namespace
}  // namespace rhyton::distribute
