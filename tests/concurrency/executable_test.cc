#include <mutex>
#include <shared_mutex>

#include <gtest/gtest.h>

#include <rhyton/framework/error.h>
#include <rhyton/framework/graph/executable.h>
#include <rhyton/framework/graph/tracing.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/matmul.h>
#include <rhyton/framework/tensor/step_mutex.h>
#include <rhyton/tests/concurrency/several_threads.h>
#include <rhyton/tests/concurrency/small_models.h>

namespace rhyton::graph {
namespace {

using test::bytes_of;
using test::on_threads;
using test::random_tensor;

constexpr std::int64_t batch = 64;

/// relu(x · w) + w's sum so far, with a product that packs its weights.
class Product {
 public:
  explicit Product(bool counts = false)
      : executable(trace({{{{batch, 96}, float32}, 0}}, [&](const std::vector<Tensor>& in) {
          if (counts) runs.assign_add(Tensor::scalar(1.0f));
          return std::vector<Tensor>{relu(matmul(in[0], weights)) * runs.value()};
        })) {}

  std::vector<Tensor> eager(const Tensor& x) const { return {relu(matmul(x, weights)) * runs.value()}; }

  Variable weights{random_tensor({96, 75}, 1)};
  Variable runs{Tensor::scalar(1.0f)};
  Executable executable;
};

void take(Executable::Lease& lease, VariableValues* own = nullptr) {
  const std::unique_lock between_steps(step_mutex());
  lease.take_variables(own);
}

TEST(RunFrames, LetSeveralThreadsRunOneExecutable) {
  Product product;
  std::vector<Tensor> inputs;
  std::vector<test::Bytes> expected;
  for (unsigned i = 0; i < 4; ++i) {
    inputs.push_back(random_tensor({batch, 96}, 10 + i));
    expected.push_back(bytes_of(product.executable({inputs.back()})));
  }
  std::atomic<int> wrong{0};
  on_threads(4, [&](int number) {
    const auto at = static_cast<std::size_t>(number);
    const void* const pointers[] = {inputs[at].raw_data()};
    for (int i = 0; i < 200; ++i) {
      Executable::Lease lease = product.executable.lease();
      take(lease);
      lease.run_taken(pointers);
      wrong += bytes_of(lease.outputs()) != expected[at] ? 1 : 0;
    }
  });
  EXPECT_EQ(wrong, 0);
}

TEST(RunFrames, AreAsManyAsWereLeasedAtOnce) {
  Product product;
  const Tensor x = random_tensor({batch, 96}, 2);
  const void* const pointers[] = {x.raw_data()};
  const auto run_on = [&](int leases) {
    std::vector<Executable::Lease> held;
    for (int i = 0; i < leases; ++i) {
      held.push_back(product.executable.lease());
      take(held.back());
      held.back().run_taken(pointers);
    }
  };
  run_on(1);
  const std::size_t one = product.executable.memory_bytes();
  const Plan& plan = product.executable.plan();
  EXPECT_GE(one, plan.shared_bytes + plan.worker_bytes);
  run_on(1);
  EXPECT_EQ(product.executable.memory_bytes(), one);
  run_on(2);
  // All frames share the packed weights.
  const std::size_t frame = product.executable.memory_bytes() - one;
  const auto weights = static_cast<std::size_t>(product.weights.shape().size()) * sizeof(float);
  EXPECT_LE(frame + weights, one);
  run_on(3);
  EXPECT_EQ(product.executable.memory_bytes(), one + 2 * frame);
}

TEST(RunFrames, KeepTheWeightsThatWereTaken) {
  Product product;
  const Tensor x = random_tensor({batch, 96}, 3);
  const void* const pointers[] = {x.raw_data()};
  Executable::Lease lease = product.executable.lease();
  take(lease);
  lease.run_taken(pointers);
  const test::Bytes before = bytes_of(lease.outputs());
  EXPECT_EQ(before, bytes_of(product.executable({x})));
  take(lease);
  // In place, as in a training step.
  auto* const values = static_cast<float*>(product.weights.writable_data());
  for (std::int64_t i = 0; i < product.weights.shape().size(); ++i) values[i] = -values[i];
  lease.run_taken(pointers);
  EXPECT_EQ(bytes_of(lease.outputs()), before);
  take(lease);
  lease.run_taken(pointers);
  EXPECT_EQ(bytes_of(lease.outputs()), bytes_of(product.executable({x})));
  EXPECT_NE(bytes_of(lease.outputs()), before);
}

TEST(RunFrames, AssignOwnValuesInsteadOfVariables) {
  Product product(true);
  ASSERT_EQ(product.executable.assigned_variables().size(), 1U);
  const Tensor x = random_tensor({batch, 96}, 4);
  const void* const pointers[] = {x.raw_data()};
  std::vector<VariableValues> own(2);
  for (VariableValues& values : own) values.take({product.runs}, true);
  Executable::Lease lease = product.executable.lease();
  for (int i = 0; i < 3; ++i) {
    take(lease, &own[0]);
    lease.run_taken(pointers);
  }
  take(lease, &own[1]);
  lease.run_taken(pointers);
  EXPECT_EQ(own[0].find(product.runs)->value.item(), 4);
  EXPECT_EQ(own[1].find(product.runs)->value.item(), 2);
  EXPECT_EQ(product.runs.value().item(), 1);
}

TEST(VariableValues, StandForVariablesInEagerOps) {
  const Variable own(Tensor::scalar(1.0f));
  const Variable shared(Tensor::scalar(2.0f));
  VariableValues values;
  values.take({own}, true);
  values.take({shared}, false);
  shared.assign(Tensor::scalar(5.0f));
  {
    const VariableValuesScope scope(values);
    own.assign_add(Tensor::scalar(10.0f));
    EXPECT_EQ(own.value().item(), 11);
    EXPECT_EQ(shared.value().item(), 2);
    shared.assign(Tensor::scalar(3.0f));
    EXPECT_EQ(shared.value().item(), 3);
  }
  EXPECT_EQ(own.value().item(), 1);
  EXPECT_EQ(shared.value().item(), 3);
}

TEST(StepMutex, KeepsStepsAndThoseWhoTakeValuesApart) {
  StepMutex mutex;
  int value = 0;
  std::atomic<int> wrong{0};
  on_threads(4, [&](int number) {
    for (int i = 0; i < 2000; ++i) {
      if (number == 0) {
        const std::shared_lock step(mutex);
        ++value;
        // The step itself assigns variables.
        const std::unique_lock within(mutex);
        ++value;
      } else {
        const std::unique_lock between_steps(mutex);
        wrong += value % 2;
      }
    }
  });
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(value, 4000);
}

TEST(StepMutex, LetsStepsRunSideBySide) {
  StepMutex mutex;
  std::atomic<int> inside{0};
  on_threads(3, [&](int) {
    const std::shared_lock step(mutex);
    inside.fetch_add(1);
    while (inside.load() < 3) std::this_thread::yield();
  });
  EXPECT_EQ(inside, 3);
}

}  // namespace
}  // namespace rhyton::graph
