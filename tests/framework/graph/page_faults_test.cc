#include <sys/mman.h>
#include <sys/resource.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/autodiff/gradient_tape.h>
#include <rhyton/framework/graph/executable.h>
#include <rhyton/framework/graph/tracing.h>
#include <rhyton/framework/ops/conv.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/matmul.h>
#include <rhyton/framework/ops/pooling.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/tests/support/random_tensor.h>
#include <rhyton/tests/support/thread_count.h>

namespace rhyton::graph {
namespace {

/// The minor page faults of the whole process so far.
long page_faults() {
  rusage usage{};
  EXPECT_EQ(getrusage(RUSAGE_SELF, &usage), 0);
  return usage.ru_minflt;
}

/// A training step with convolution, pooling, a wide layer and an arena of several MB.
class TrainingStep {
 public:
  TrainingStep() : executable_(graph()), x_(test::random_tensor({batch, 28, 28, 1}, 4)) {}
  void run() {
    const void* inputs[] = {x_.raw_data()};
    executable_.run(inputs);
  }
  std::size_t arena_bytes() const { return executable_.memory_bytes(); }

 private:
  static constexpr std::int64_t batch = 64;

  Graph graph() const {
    return trace({{{{batch, 28, 28, 1}, float32}, 0}}, [this](const std::vector<Tensor>& in) {
      GradientTape tape;
      Tensor x = relu(conv2d(in[0], kernel_) + bias_);
      x = max_pool2d(x, {.pool_size = {2, 2}, .strides = {2, 2}});
      const Tensor y = matmul(x.reshape({batch, 13 * 13 * 16}), dense_);
      const std::vector<Variable> variables{kernel_, bias_, dense_};
      const std::vector<Tensor> gradients = tape.gradient(mean(square(y)), variables);
      for (std::size_t i = 0; i < variables.size(); ++i) variables[i].assign_sub(gradients[i] * 0.01);
      return std::vector<Tensor>{mean(square(y))};
    });
  }

  Variable kernel_{test::random_tensor({3, 3, 1, 16}, 1), {.name = "kernel"}};
  Variable bias_{test::random_tensor({16}, 2), {.name = "bias"}};
  Variable dense_{test::random_tensor({13 * 13 * 16, 512}, 3), {.name = "dense"}};
  Executable executable_;
  Tensor x_;
};

TEST(Executable, AfterTheFirstStepsNoMemoryIsNew) {
  constexpr int steps = 50;
  for (const int threads : {1, 2}) {
    SCOPED_TRACE(threads);
    const test::ThreadCount count(threads);
    TrainingStep step;
    long faults = 0;
    // A pool thread that was not scheduled before may touch its arena for the first time late.
    for (int attempt = 0; attempt < 10; ++attempt) {
      const long before = page_faults();
      for (int i = 0; i < steps; ++i) step.run();
      faults = page_faults() - before;
      if (attempt > 0 && faults < steps / 4) break;
    }
    ASSERT_GT(step.arena_bytes(), std::size_t{4} << 20);
    // A single page released and faulted again in each step would give that many.
    EXPECT_LT(faults, steps / 4);
  }
}

TEST(PageFaults, OfMemoryThatComesAndGoesAreCounted) {
  constexpr std::size_t bytes = std::size_t{64} << 10;
  const long before = page_faults();
  for (int i = 0; i < 50; ++i) {
    void* const block = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(block, MAP_FAILED);
    static_cast<volatile char*>(block)[0] = 1;
    ::munmap(block, bytes);
  }
  EXPECT_GE(page_faults() - before, 50);
}

}  // namespace
}  // namespace rhyton::graph
