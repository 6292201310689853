#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <new>

#include <gtest/gtest.h>

#include <rhyton/framework/autodiff/gradient_tape.h>
#include <rhyton/framework/graph/executable.h>
#include <rhyton/framework/graph/frame_pool.h>
#include <rhyton/framework/graph/tracing.h>
#include <rhyton/framework/ops/conv.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/matmul.h>
#include <rhyton/framework/ops/optimizer_updates.h>
#include <rhyton/framework/ops/pooling.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/framework/ops/softmax.h>
#include <rhyton/framework/tensor/step_mutex.h>
#include <rhyton/tests/support/random_tensor.h>

#include <malloc.h>

namespace {

std::atomic<bool> counting{false};
std::atomic<int> allocations{0};

void note_allocation() {
  if (counting.load(std::memory_order_relaxed)) allocations.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace

#if !defined(__SANITIZE_ADDRESS__)
// Counting replacements of the allocation functions, which Eigen and the library call too.
extern "C" {
// NOLINTNEXTLINE(clang-diagnostic-reserved-identifier): glibc's own functions
void* __libc_malloc(std::size_t bytes);
// NOLINTNEXTLINE(clang-diagnostic-reserved-identifier)
void* __libc_memalign(std::size_t alignment, std::size_t bytes);
void* malloc(std::size_t bytes) {
  note_allocation();
  return __libc_malloc(bytes);
}
void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
  note_allocation();
  return __libc_memalign(alignment, bytes);
}
int posix_memalign(void** result, std::size_t alignment, std::size_t bytes) {
  note_allocation();
  *result = __libc_memalign(alignment, bytes);
  return *result == nullptr ? ENOMEM : 0;
}
}
#endif

namespace rhyton::graph {
namespace {

/// Expects that ten runs allocate nothing.
template <class Run>
void expect_no_allocations(const Run& run) {
  allocations = 0;
  counting = true;
  for (int i = 0; i < 10; ++i) run();
  counting = false;
  EXPECT_EQ(allocations.load(), 0);
}

TEST(Executable, AStepAllocatesNothing) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "AddressSanitizer brings allocation functions of its own";
#endif
  const Variable kernel(test::random_tensor({3, 3, 1, 16}, 1), {.name = "kernel"});
  const Variable bias(test::random_tensor({16}, 2), {.name = "bias"});
  const Variable dense(test::random_tensor({16 * 5 * 5, 10}, 3), {.name = "dense"});
  const Graph graph = trace({{{{32, 12, 12, 1}, float32}, 0}, {{{32}, int64}, 0}}, [&](const std::vector<Tensor>& in) {
    GradientTape tape;
    Tensor x = relu(conv2d(in[0], kernel) + bias);
    x = max_pool2d(x, {.pool_size = {2, 2}, .strides = {2, 2}});
    const Tensor logits = matmul(x.reshape({32, 16 * 5 * 5}), dense);
    const Tensor loss = mean(sparse_softmax_cross_entropy_with_logits(in[1], logits));
    const std::vector<Variable> variables{kernel, bias, dense};
    const std::vector<Tensor> gradients = tape.gradient(loss, variables);
    for (std::size_t i = 0; i < variables.size(); ++i) variables[i].assign_sub(gradients[i] * 0.01);
    return std::vector<Tensor>{loss};
  });
  Executable executable(graph);
  const Tensor x = test::random_tensor({32, 12, 12, 1}, 4);
  const Tensor labels = Tensor::zeros({32}, int64);
  const void* inputs[] = {x.raw_data(), labels.raw_data()};
  executable.run(inputs);
  executable.run(inputs);
  expect_no_allocations([&] { executable.run(inputs); });
  counting = true;
  free(std::malloc(100));
  counting = false;
  EXPECT_GE(allocations.load(), 1) << "the counter itself must work";
}

TEST(Executable, ARunOnALeasedFrameAllocatesNothing) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "AddressSanitizer brings allocation functions of its own";
#endif
  // Not a multiple of the length of a register, so that the product packs its weights.
  const Variable weights(test::random_tensor({96, 75}, 1));
  const auto pool = std::make_shared<FramePool>();
  const auto compiled = [&](std::int64_t batch) {
    return Executable(trace({{{{batch, 96}, float32}, 0}},
                            [&](const std::vector<Tensor>& in) { return std::vector<Tensor>{matmul(in[0], weights)}; }),
                      {.frame_pool = pool});
  };
  Executable small = compiled(8);
  Executable large = compiled(64);
  const Tensor x = test::random_tensor({64, 96}, 2);
  const void* inputs[] = {x.raw_data()};
  // Both have run before, and the large one has had the memory.
  for (Executable* const executable : {&small, &large, &small}) {
    Executable::Lease lease = executable->lease();
    const auto run = [&] {
      if (!lease.take_variables_again()) {
        const std::unique_lock between_steps(step_mutex());
        lease.take_variables();
      }
      lease.run_taken(inputs);
    };
    run();
    expect_no_allocations(run);
  }
}

}  // namespace
}  // namespace rhyton::graph
