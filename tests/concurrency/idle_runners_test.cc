#include <atomic>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/device/device_scope.h>
#include <rhyton/models/model_impl.h>
#include <rhyton/models/training/idle_runners.h>
#include <rhyton/models/training/step_cache.h>
#include <rhyton/tests/concurrency/several_threads.h>
#include <rhyton/tests/concurrency/small_models.h>

namespace rhyton::training {
namespace {

/// Counts the runners that exist, and the calls that use this one.
class CountedRunner final : public StepRunner {
 public:
  explicit CountedRunner(std::atomic<int>& count) : count_(count) { ++count_; }
  ~CountedRunner() override { --count_; }
  void run(BatchStream& /*batches*/) override {}
  const std::vector<Tensor>& outputs() const override { return outputs_; }

  std::atomic<int> users{0};

 private:
  std::atomic<int>& count_;
  std::vector<Tensor> outputs_;
};

class IdleRunnersTest : public ::testing::Test {
 protected:
  std::unique_ptr<ReusableRunner> take() {
    return runners.take(current_device(),
                        [&] { return ReusableRunner{.runner = std::make_unique<CountedRunner>(count)}; });
  }

  std::atomic<int> count{0};
  IdleRunners runners;
};

TEST_F(IdleRunnersTest, GiveAThreadTheRunnerThatItReturned) {
  std::unique_ptr<ReusableRunner> runner = take();
  const StepRunner* const first = runner->runner.get();
  for (int i = 0; i < 3; ++i) {
    runners.give_back(std::move(runner));
    runner = take();
    EXPECT_EQ(runner->runner.get(), first);
  }
  EXPECT_EQ(count, 1);
}

TEST_F(IdleRunnersTest, AreAsManyAsWereInUseAtOnce) {
  std::vector<std::unique_ptr<ReusableRunner>> used;
  for (int i = 0; i < 3; ++i) used.push_back(take());
  for (std::unique_ptr<ReusableRunner>& runner : used) runners.give_back(std::move(runner));
  // New threads take those of others.
  for (int round = 0; round < 10; ++round) {
    test::on_threads(3, [&](int) { runners.give_back(take()); });
  }
  EXPECT_EQ(count, 3);
}

TEST_F(IdleRunnersTest, AreUsedByOneThreadAtATime) {
  std::atomic<int> wrong{0};
  test::on_threads(4, [&](int) {
    for (int i = 0; i < 2000; ++i) {
      std::unique_ptr<ReusableRunner> runner = take();
      auto& counted = dynamic_cast<CountedRunner&>(*runner->runner);
      wrong += counted.users.fetch_add(1);
      counted.users.fetch_sub(1);
      runners.give_back(std::move(runner));
    }
  });
  EXPECT_EQ(wrong, 0);
  EXPECT_LE(count, 4);
}

TEST_F(IdleRunnersTest, AreDestroyedWhenTheyAreDiscarded) {
  std::unique_ptr<ReusableRunner> used = take();
  runners.give_back(take());
  EXPECT_EQ(count, 2);
  runners.discard();
  EXPECT_EQ(count, 1) << "the idle one";
  runners.give_back(std::move(used));
  EXPECT_EQ(count, 0) << "and the other when it is returned";
}

TEST_F(IdleRunnersTest, OfAThrowingCallAreNotReused) {
  take();
  EXPECT_EQ(count, 0);
}

TEST(ConcurrentPredictions, AreThoseOfTheModelAsItWasCompiledLast) {
  const models::Sequential model = test::dense_model();
  const Tensor x = test::random_tensor({8, 6}, 1);
  const test::Bytes expected = test::bytes_of(model.predict_on_batch(x));
  for (const bool eagerly : {true, false}) {
    models::CompileOptions options = test::options_of_classifier();
    options.run_eagerly = eagerly;
    model.compile(options);
    EXPECT_TRUE(model.model_impl()->trainer().compiled_steps().empty());
    EXPECT_EQ(test::bytes_of(model.predict_on_batch(x)), expected);
    EXPECT_EQ(model.model_impl()->trainer().compiled_steps().empty(), eagerly);
  }
}

}  // namespace
}  // namespace rhyton::training
