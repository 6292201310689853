#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

#include <emulation_fixtures.h>
#include <emulator.h>

namespace rhyton::cuda_emulation {
namespace {

__global__ void note_place(int4* places) {
  const unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  const unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  places[block * blockDim.x * blockDim.y * blockDim.z + thread] =
      make_int4(static_cast<int>(block), static_cast<int>(threadIdx.x), static_cast<int>(threadIdx.y),
                static_cast<int>(threadIdx.z));
}

TEST(EmulatedKernel, RunsOneThreadForEachPlace) {
  const OnDevice<int4> places(std::vector<int4>(12 * 30, make_int4(-1, -1, -1, -1)));
  run(dim3(2, 3, 2), dim3(5, 3, 2), &note_place, places.data());
  const std::vector<int4> seen = places.now();
  for (int i = 0; i < 360; ++i) {
    const int4 place = seen[static_cast<std::size_t>(i)];
    const int thread = i % 30;
    EXPECT_EQ(place.x, i / 30);
    EXPECT_EQ(place.y, thread % 5);
    EXPECT_EQ(place.z, thread / 5 % 3);
    EXPECT_EQ(place.w, thread / 15);
  }
}

TEST(EmulatedKernel, IsRefusedWhereNoGpuCouldRunIt) {
  const OwnStream stream;
  int* const nowhere = nullptr;
  EXPECT_EQ(start(stream, 0, 1, &add, nowhere, 1), cudaErrorInvalidConfiguration);
  EXPECT_EQ(start(stream, 1, 1025, &add, nowhere, 1), cudaErrorInvalidConfiguration);
  EXPECT_EQ(start(stream, 1, dim3(32, 32, 2), &add, nowhere, 1), cudaErrorInvalidConfiguration);
  EXPECT_EQ(start(stream, dim3(1, 65536), 1, &add, nowhere, 1), cudaErrorInvalidConfiguration);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidConfiguration);
}

// The sum of a block's numbers as in typical kernels: in each warp by shuffles, then over the warps' sums.
__global__ void sum_block(const int* numbers, int* sums) {
  __shared__ int sums_of_warps[32];
  const unsigned lane = threadIdx.x % 32;
  int sum = numbers[blockIdx.x * blockDim.x + threadIdx.x];
  for (unsigned delta = 16; delta > 0; delta /= 2) {
    const int other = __shfl_down_sync(0xFFFFFFFFu, sum, delta);
    if (lane + delta < 32 && threadIdx.x + delta < blockDim.x) sum += other;
  }
  if (lane == 0) sums_of_warps[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    sums[blockIdx.x] = 0;
    for (unsigned warp = 0; warp < (blockDim.x + 31) / 32; ++warp) sums[blockIdx.x] += sums_of_warps[warp];
  }
}

TEST(EmulatedKernel, ReducesBlocksOfAnySize) {
  for (const int size : {1, 31, 32, 33, 256, 1000}) {
    std::vector<int> numbers(static_cast<std::size_t>(3 * size));
    std::iota(numbers.begin(), numbers.end(), 1);
    const OnDevice<int> input(numbers);
    const OnDevice<int> output(3);
    // Twice, since the order of the threads differs the second time.
    for (int i = 0; i < 2; ++i) {
      run(3, static_cast<unsigned>(size), &sum_block, input.data(), output.data());
      const auto sum_of = [&](int block) {
        return std::accumulate(numbers.begin() + block * size, numbers.begin() + (block + 1) * size, 0);
      };
      EXPECT_EQ(output.now(), (std::vector<int>{sum_of(0), sum_of(1), sum_of(2)})) << size << " threads";
    }
  }
}

// Each thread passes a value to its neighbour many times, so that a missing wait would be noticed.
__global__ void rotate(int* values, int rounds) {
  __shared__ int passed[2][1024];
  int mine = static_cast<int>(threadIdx.x);
  for (int round = 0; round < rounds; ++round) {
    passed[round % 2][threadIdx.x] = mine;
    __syncthreads();
    mine = passed[round % 2][(threadIdx.x + 1) % blockDim.x];
  }
  values[threadIdx.x] = mine;
}

TEST(EmulatedKernel, WaitsAtEveryBarrier) {
  for (const unsigned size : {1u, 2u, 33u, 1024u}) {
    const OnDevice<int> values(size);
    run(1, size, &rotate, values.data(), 7);
    const std::vector<int> seen = values.now();
    for (unsigned i = 0; i < size; ++i) EXPECT_EQ(seen[i], static_cast<int>((i + 7) % size));
  }
}

__global__ void leave_early(int* arrived, unsigned staying) {
  if (threadIdx.x >= staying) return;
  atomicAdd(arrived, 1);
  __syncthreads();
  const int seen = *arrived;
  __syncthreads();
  if (threadIdx.x == 0) *arrived = seen * 1000 + __syncthreads_count(1);
}

TEST(EmulatedKernel, DoesNotWaitForThreadsThatHaveReturned) {
  for (int i = 0; i < 2; ++i) {
    const OnDevice<int> arrived(std::vector<int>{0});
    // All but the first have returned when it counts.
    run(1, 100, &leave_early, arrived.data(), 40u);
    EXPECT_EQ(arrived.now(), std::vector<int>{40001});
  }
}

__global__ void vote_in_block(int* results) {
  const int is_first = threadIdx.x == 0 ? 1 : 0;
  const int any = __syncthreads_or(is_first);
  const int all = __syncthreads_and(is_first);
  const int count = __syncthreads_count(threadIdx.x % 3 == 0 ? 5 : 0);
  const int none = __syncthreads_or(0);
  if (threadIdx.x == blockDim.x - 1) {
    results[0] = any;
    results[1] = all;
    results[2] = count;
    results[3] = none;
    results[4] = __activemask() == 1u << (threadIdx.x % 32) ? 1 : 0;
  }
}

TEST(EmulatedKernel, CombinesPredicatesOfABlock) {
  const OnDevice<int> results(5);
  run(1, 50, &vote_in_block, results.data());
  EXPECT_EQ(results.now(), (std::vector<int>{1, 0, 17, 0, 1}));
}

struct Shuffled {
  int from_five;
  int from_two_of_eight;
  double up;
  float down_of_four;
  long long mirrored;
  int to_earlier_group;
  unsigned odd;
  int any;
  int all;
};

__global__ void shuffle_all(Shuffled* results) {
  const int lane = static_cast<int>(threadIdx.x);
  Shuffled& mine = results[lane];
  mine.from_five = __shfl_sync(0xFFFFFFFFu, lane * 10, 5);
  mine.from_two_of_eight = __shfl_sync(0xFFFFFFFFu, lane * 10, 2, 8);
  mine.up = __shfl_up_sync(0xFFFFFFFFu, lane * 0.5, 3);
  mine.down_of_four = __shfl_down_sync(0xFFFFFFFFu, static_cast<float>(lane), 1, 4);
  mine.mirrored = __shfl_xor_sync(0xFFFFFFFFu, lane * 10000000000LL, 31);
  mine.to_earlier_group = __shfl_xor_sync(0xFFFFFFFFu, lane, 8, 8);
  mine.odd = __ballot_sync(0xFFFFFFFFu, lane % 2);
  mine.any = __any_sync(0xFFFFFFFFu, lane == 31);
  mine.all = __all_sync(0xFFFFFFFFu, lane < 31);
}

TEST(EmulatedKernel, ExchangesValuesInAWarp) {
  const OnDevice<Shuffled> results(32);
  run(1, 32, &shuffle_all, results.data());
  const std::vector<Shuffled> seen = results.now();
  for (int lane = 0; lane < 32; ++lane) {
    const Shuffled& mine = seen[static_cast<std::size_t>(lane)];
    EXPECT_EQ(mine.from_five, 50);
    EXPECT_EQ(mine.from_two_of_eight, (lane / 8 * 8 + 2) * 10);
    EXPECT_EQ(mine.up, (lane < 3 ? lane : lane - 3) * 0.5);
    EXPECT_EQ(mine.down_of_four, static_cast<float>(lane % 4 == 3 ? lane : lane + 1));
    EXPECT_EQ(mine.mirrored, (31 - lane) * 10000000000LL);
    EXPECT_EQ(mine.to_earlier_group, lane % 16 < 8 ? lane : lane - 8);
    EXPECT_EQ(mine.odd, 0xAAAAAAAAu);
    EXPECT_EQ(mine.any, 1);
    EXPECT_EQ(mine.all, 0);
  }
}

// The two halves of a warp diverge, one of them with more exchanges than the other.
__global__ void part_ways(int* results) {
  const int lane = static_cast<int>(threadIdx.x);
  int sum = lane;
  if (lane < 16) {
    for (int distance = 8; distance > 0; distance /= 2) sum += __shfl_xor_sync(0x0000FFFFu, sum, distance);
  } else {
    sum = __shfl_sync(0xFFFF0000u, lane, 20);
  }
  __syncwarp();
  results[lane] = __shfl_sync(0xFFFFFFFFu, sum, 31 - lane);
}

TEST(EmulatedKernel, LetsPartsOfAWarpExchangeValuesOnTheirOwn) {
  for (int i = 0; i < 2; ++i) {
    const OnDevice<int> results(32);
    run(1, 32, &part_ways, results.data());
    const std::vector<int> seen = results.now();
    for (std::size_t lane = 0; lane < 32; ++lane) EXPECT_EQ(seen[lane], lane < 16 ? 20 : 120);
  }
}

__global__ void ask_absent_lane(float* result) {
  if (threadIdx.x == 3) return;
  const float seen = __shfl_sync(0xFFFFFFFFu, 1.0f, 3);
  if (threadIdx.x == 0) *result = seen;
}

TEST(EmulatedKernel, GetsNoUsableValueFromALaneThatTakesNoPart) {
  const OnDevice<float> result(std::vector<float>{0.0f});
  run(1, 32, &ask_absent_lane, result.data());
  EXPECT_TRUE(std::isnan(result.now()[0]));
}

__global__ void forget_barrier(int* result) {
  __shared__ int values[64];
  values[threadIdx.x] = static_cast<int>(threadIdx.x) + static_cast<int>(blockIdx.x) * 64;
  const int neighbour = values[(threadIdx.x + 1) % 64];
  atomicAdd(result, neighbour);
}

TEST(EmulatedKernel, GivesOtherResultsTheNextTimeIfABarrierIsMissing) {
  const OnDevice<int> first(std::vector<int>{0});
  const OnDevice<int> second(std::vector<int>{0});
  run(2, 64, &forget_barrier, first.data());
  run(2, 64, &forget_barrier, second.data());
  EXPECT_NE(first.now(), second.now());
}

__device__ int finished_blocks = 0;
__global__ void last_block_sums(const int* values, int* partial, int* total) {
  __shared__ bool is_last;
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = values[2 * blockIdx.x] + values[2 * blockIdx.x + 1];
    __threadfence();
    is_last = atomicAdd(&finished_blocks, 1) == static_cast<int>(gridDim.x) - 1;
  }
  __syncthreads();
  if (!is_last || threadIdx.x != 0) return;
  *total = 0;
  for (unsigned block = 0; block < gridDim.x; ++block) *total += partial[block];
  finished_blocks = 0;
}

TEST(EmulatedKernel, LetsTheLastBlockFinishTheWork) {
  const OnDevice<int> values(std::vector<int>{1, 2, 3, 4, 5, 6});
  const OnDevice<int> partial(3);
  const OnDevice<int> total(1);
  for (int i = 0; i < 2; ++i) {
    run(3, 40, &last_block_sums, values.data(), partial.data(), total.data());
    EXPECT_EQ(total.now(), std::vector<int>{21});
  }
}

__global__ void change_atomically(int* integers, unsigned long long* large, float* fractions) {
  atomicAdd(&integers[0], 2);
  atomicMax(&integers[1], static_cast<int>(threadIdx.x));
  atomicMin(&integers[2], -static_cast<int>(threadIdx.x));
  if (atomicCAS(&integers[3], 0, 7) == 0) atomicExch(&integers[4], 9);
  atomicAdd(large, 1ull << 40);
  atomicAdd(fractions, 0.5f);
}

TEST(EmulatedKernel, ChangesMemoryAtomically) {
  const OnDevice<int> integers(std::vector<int>{0, 0, 0, 0, 0});
  const OnDevice<unsigned long long> large(std::vector<unsigned long long>{0});
  const OnDevice<float> fractions(std::vector<float>{0});
  run(2, 50, &change_atomically, integers.data(), large.data(), fractions.data());
  EXPECT_EQ(integers.now(), (std::vector<int>{200, 49, -49, 7, 9}));
  EXPECT_EQ(large.now(), std::vector<unsigned long long>{100ull << 40});
  EXPECT_EQ(fractions.now(), std::vector<float>{50.0f});
}

__global__ void diverge_at_barriers() {
  if (threadIdx.x < 32) {
    __syncthreads();
  } else {
    __syncthreads();
  }
}
__global__ void wait_for_nobody() {
  if (threadIdx.x == 0) {
    __syncwarp(0x3u);
  } else {
    __syncthreads();
  }
}
__global__ void use_foreign_mask() { __syncwarp(0x1u); }

TEST(EmulatedKernelDeathTest, TellsOfThreadsThatWaitAtDifferentPlaces) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(run(1, 64, &diverge_at_barriers), "at different places: .*kernels_test.cc:");
}

TEST(EmulatedKernelDeathTest, TellsOfDeadlocks) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(run(1, 2, &wait_for_nobody), "wait for each other forever(.|\n)*__syncwarp(.|\n)*__syncthreads");
}

TEST(EmulatedKernelDeathTest, TellsOfLanesOutsideTheirOwnMask) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(run(1, 2, &use_foreign_mask), "not in itself");
}

}  // namespace
}  // namespace rhyton::cuda_emulation
