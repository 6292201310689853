// machine [THREADS...]: the maximum rates of this machine for each number of threads: float32 multiplications and
// additions in registers, and bytes to and from memory (STREAM's triad). Prints one line of JSON.

#include <algorithm>
#include <atomic>
#include <barrier>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <limits>
#include <thread>
#include <vector>

#include <rhyton/framework/io/json/json.h>

namespace {

using rhyton::io::Json;
using Clock = std::chrono::steady_clock;

// The widest registers that this is compiled for.
#if defined(__AVX512F__)
constexpr std::size_t register_bytes = 64;
#elif defined(__AVX__)
constexpr std::size_t register_bytes = 32;
#else
constexpr std::size_t register_bytes = 16;
#endif
using Register = float __attribute__((vector_size(register_bytes)));
constexpr std::size_t lanes = register_bytes / sizeof(float);

/// Keeps the compiler from removing the computation.
std::atomic<float> sink = 0;

/// Seconds from the moment at which all threads are ready until the last one is done; the best of several rounds.
double best_seconds(int threads, const std::function<void(int)>& work) {
  constexpr int rounds = 10;
  std::vector<Clock::time_point> times;
  std::barrier ready(threads, [&]() noexcept { times.push_back(Clock::now()); });
  std::vector<std::thread> running;
  for (int thread = 0; thread < threads; ++thread) {
    running.emplace_back([&, thread] {
      work(thread);  // touches its memory first, and wakes the core
      ready.arrive_and_wait();
      for (int round = 0; round < rounds; ++round) {
        work(thread);
        ready.arrive_and_wait();
      }
    });
  }
  for (std::thread& thread : running) thread.join();
  double best = std::numeric_limits<double>::max();
  for (std::size_t i = 1; i < times.size(); ++i) {
    best = std::min(best, std::chrono::duration<double>(times[i] - times[i - 1]).count());
  }
  return best;
}

/// Enough independent chains to hide the latency of two pipes.
constexpr std::size_t chains = 12;

void multiply_and_add(std::int64_t steps) {
  volatile float start = 1.0f;
  Register sums[chains];
  for (Register& sum : sums) sum = Register{} + start;
  const Register factor = Register{} + start * 0.999f;
  const Register term = Register{} + start * 0.001f;
  for (std::int64_t step = 0; step < steps; ++step) {
#pragma GCC unroll 12
    for (std::size_t i = 0; i < chains; ++i) sums[i] = sums[i] * factor + term;
  }
  float total = 0;
  for (const Register& sum : sums) total += sum[0];
  sink = total;
}

double peak_gflops(int threads) {
  constexpr std::int64_t steps = 10'000'000;
  const double seconds = best_seconds(threads, [](int) { multiply_and_add(steps); });
  return 2.0 * static_cast<double>(steps * chains * lanes) * threads / seconds / 1e9;
}

double triad_gigabytes(int threads) {
  // Far larger than any cache.
  const std::size_t count = (std::size_t{1} << 26) / static_cast<std::size_t>(threads);
  struct Arrays {
    std::vector<float> a, b, c;
  };
  std::vector<Arrays> arrays(static_cast<std::size_t>(threads));
  const double seconds = best_seconds(threads, [&](int thread) {
    Arrays& own = arrays[static_cast<std::size_t>(thread)];
    if (own.a.empty()) own = {std::vector<float>(count), std::vector<float>(count, 1), std::vector<float>(count, 2)};
    float* const a = own.a.data();
    const float* const b = own.b.data();
    const float* const c = own.c.data();
    for (std::size_t i = 0; i < count; ++i) a[i] = b[i] + 3.0f * c[i];
    sink = a[count / 2];
  });
  return 3.0 * sizeof(float) * static_cast<double>(count) * threads / seconds / 1e9;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<int> counts;
  for (int i = 1; i < argc; ++i) counts.push_back(std::max(1, std::atoi(argv[i])));
  if (counts.empty()) counts = {1, static_cast<int>(std::max(1u, std::thread::hardware_concurrency()))};
  Json results = Json::array();
  for (const int threads : counts) {
    results.push_back(Json::object(
        {{"threads", threads}, {"gflops", peak_gflops(threads)}, {"gigabytes_per_second", triad_gigabytes(threads)}}));
  }
  std::cout << Json::object({{"machine", results}}).dump() << "\n";
}
