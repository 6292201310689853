#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/device/config.h>
#include <rhyton/framework/graph/executable.h>
#include <rhyton/framework/graph/frame_pool.h>
#include <rhyton/framework/graph/tracing.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/matmul.h>
#include <rhyton/framework/tensor/step_mutex.h>
#include <rhyton/tests/concurrency/several_threads.h>
#include <rhyton/tests/concurrency/small_models.h>

// The run frames of several executables, which share memory and packed weights.

namespace rhyton::graph {
namespace {

using test::Bytes;
using test::bytes_of;
using test::on_threads;
using test::random_tensor;

/// relu(x · w) for batches of several sizes, in one pool. The product packs its weights.
class Products {
 public:
  explicit Products(const std::vector<std::int64_t>& batches) {
    for (const std::int64_t batch : batches) {
      inputs.push_back(random_tensor({batch, rows}, static_cast<unsigned>(batch)));
      executables.push_back(compiled(batch, pool));
    }
  }

  Bytes expected(std::size_t index) const { return bytes_of({relu(matmul(inputs[index], weights))}); }
  /// One run on a leased frame with the current weights.
  Bytes run(std::size_t index) {
    Executable::Lease lease = executables[index].lease();
    return run(lease, index);
  }
  Bytes run(Executable::Lease& lease, std::size_t index) const {
    if (!lease.take_variables_again()) {
      const std::unique_lock between_steps(step_mutex());
      lease.take_variables();
    }
    const void* const pointers[] = {inputs[index].raw_data()};
    lease.run_taken(pointers);
    return bytes_of(lease.outputs());
  }

  static constexpr std::int64_t rows = 96;
  // No multiple of the length of a register, so that the product packs its weights.
  static constexpr std::int64_t columns = 75;

  Variable weights{random_tensor({rows, columns}, 1)};
  std::shared_ptr<FramePool> pool = std::make_shared<FramePool>();
  std::vector<Tensor> inputs;
  std::vector<Executable> executables;

 private:
  Executable compiled(std::int64_t batch, const std::shared_ptr<FramePool>& in_pool) const {
    return Executable(
        trace({{{{batch, rows}, float32}, 0}},
              [&](const std::vector<Tensor>& in) { return std::vector<Tensor>{relu(matmul(in[0], weights))}; }),
        {.plan = {.check = true}, .frame_pool = in_pool});
  }
};

std::vector<std::int64_t> batches_up_to(std::int64_t last) {
  std::vector<std::int64_t> batches;
  for (std::int64_t batch = 1; batch <= last; ++batch) batches.push_back(batch);
  return batches;
}

TEST(FramePool, NeedsTheMemoryOfTheLargestExecutable) {
  Products all(batches_up_to(64));
  Products largest({64});
  EXPECT_EQ(largest.run(0), largest.expected(0));
  const std::size_t bytes = largest.pool->memory_bytes();
  const std::size_t packed = Products::rows * Products::columns * sizeof(float);
  ASSERT_GT(bytes, packed) << "arenas and packed weights";
  for (std::size_t i = 0; i < all.executables.size(); ++i) EXPECT_EQ(all.run(i), all.expected(i));
  EXPECT_EQ(all.pool->memory_bytes(), bytes);
  for (std::size_t i = all.executables.size(); i-- > 0;) EXPECT_EQ(all.run(i), all.expected(i));
  EXPECT_EQ(all.pool->memory_bytes(), bytes);
}

TEST(FramePool, KeepsNothingOfASmallerMemoryWhenItGrows) {
  Products products(batches_up_to(64));
  products.run(63);
  const std::size_t before = config::get_memory_info("CPU:0").current;
  Products growing(batches_up_to(64));
  const std::size_t inputs_and_weights = config::get_memory_info("CPU:0").current - before;
  for (std::size_t i = 0; i < 64; ++i) growing.run(i);
  const std::size_t run = config::get_memory_info("CPU:0").current - before - inputs_and_weights;
  // The allocator rounds each block up.
  EXPECT_GE(run, products.pool->memory_bytes());
  EXPECT_LE(run, products.pool->memory_bytes() + 1024);
}

TEST(FramePool, HasMemoryForEachFrameInUse) {
  Products products({8, 16});
  Executable::Lease small = products.executables[0].lease();
  const Bytes first = products.run(small, 0);
  {
    Executable::Lease large = products.executables[1].lease();
    EXPECT_EQ(products.run(large, 1), products.expected(1));
    EXPECT_EQ(bytes_of(small.outputs()), first) << "the frames in use share nothing that they write";
  }
  const std::size_t two = products.pool->memory_bytes();
  small = {};
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(products.run(0), products.expected(0));
    EXPECT_EQ(products.run(1), products.expected(1));
  }
  EXPECT_EQ(products.pool->memory_bytes(), two);
}

TEST(FramePool, OutlivesTheExecutablesThatUsedIt) {
  Products products({4, 8, 16});
  const Bytes expected = products.expected(0);
  for (std::size_t i = 0; i < 3; ++i) products.run(i);
  products.executables.pop_back();
  products.executables.pop_back();
  EXPECT_EQ(products.run(0), expected);
  const std::size_t bytes = products.pool->memory_bytes();
  products.executables.clear();
  EXPECT_LT(products.pool->memory_bytes(), bytes) << "packed weights belong to the executables";
}

TEST(PackedWeights, AreSharedByExecutablesAndFrames) {
  Products products({8, 16, 24});
  std::vector<Executable::Lease> leases;
  const auto run_on_new_frame = [&](std::size_t i) {
    leases.push_back(products.executables[i].lease());
    EXPECT_EQ(products.run(leases.back(), i), products.expected(i));
    return products.pool->memory_bytes();
  };
  const std::size_t one = run_on_new_frame(0);
  const std::size_t frame = run_on_new_frame(0) - one;
  const std::size_t packed = one - frame;
  EXPECT_GE(packed, Products::rows * Products::columns * sizeof(float));
  for (const std::size_t i : {1, 1, 2, 2}) run_on_new_frame(i);
  std::size_t each = 0;
  for (const Executable& executable : products.executables) each += executable.memory_bytes();
  EXPECT_EQ(products.pool->memory_bytes(), each - 2 * packed);
}

TEST(PackedWeights, AreThoseOfTheCurrentWeightsInAllExecutables) {
  Products products({8, 16, 24});
  std::size_t bytes = 0;
  for (unsigned round = 0; round < 20; ++round) {
    products.weights.assign(random_tensor({Products::rows, Products::columns}, 100 + round));
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(products.run(i), products.expected(i)) << round;
    }
    // Outdated copies are used again.
    if (round == 0) bytes = products.pool->memory_bytes();
    EXPECT_EQ(products.pool->memory_bytes(), bytes);
  }
}

TEST(PackedWeights, OfDifferentVersionsExistAtTheSameTime) {
  Products products({8, 16});
  Executable::Lease old = products.executables[0].lease();
  {
    const std::unique_lock between_steps(step_mutex());
    old.take_variables();
  }
  const Bytes before = products.expected(0);
  const Tensor old_weights = products.weights.value();
  products.weights.assign(random_tensor({Products::rows, Products::columns}, 7));
  EXPECT_EQ(products.run(1), products.expected(1));
  const void* const pointers[] = {products.inputs[0].raw_data()};
  old.run_taken(pointers);
  EXPECT_EQ(bytes_of(old.outputs()), before);
  EXPECT_EQ(products.run(1), products.expected(1));
  EXPECT_EQ(products.run(old, 0), products.expected(0));
}

TEST(FramePool, LetsThreadsRunExecutablesOfSeveralShapesWhileWeightsChange) {
  Products products({1, 2, 8, 16, 31, 32});
  std::vector<Tensor> sets;
  std::vector<std::vector<Bytes>> expected(2);
  for (unsigned s = 0; s < 2; ++s) {
    sets.push_back(random_tensor({Products::rows, Products::columns}, 200 + s));
    products.weights.assign(sets[s]);
    for (std::size_t i = 0; i < products.inputs.size(); ++i) expected[s].push_back(products.expected(i));
  }
  std::atomic<int> wrong{0};
  std::atomic<int> running{3};
  on_threads(4, [&](int number) {
    if (number == 3) {
      for (std::size_t turn = 0; running > 0; ++turn) products.weights.assign(sets[turn % 2]);
      return;
    }
    for (std::size_t i = 0; i < 400; ++i) {
      const std::size_t at = (i + static_cast<std::size_t>(2 * number)) % products.inputs.size();
      const Bytes result = products.run(at);
      wrong += result != expected[0][at] && result != expected[1][at] ? 1 : 0;
    }
    --running;
  });
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace rhyton::graph
