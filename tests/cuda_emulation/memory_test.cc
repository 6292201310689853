#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <vector>

#include <emulation_fixtures.h>
#include <emulator.h>

namespace rhyton::cuda_emulation {
namespace {

TEST(EmulatedMemory, IsNotANumberAtFirst) {
  const OnDevice<float> numbers(3);
  for (const float number : numbers.now()) EXPECT_TRUE(std::isnan(number));
}

TEST(EmulatedMemory, EndsAtTheLimit) {
  set_memory_limit(1000);
  std::size_t free = 0;
  std::size_t total = 0;
  {
    const OnDevice<char> maximum(900);
    expect_success(cudaMemGetInfo(&free, &total));
    EXPECT_EQ(total, 1000u);
    EXPECT_EQ(free, 100u);
    EXPECT_EQ(bytes_in_use(0), 900u);
    void* data = nullptr;
    EXPECT_EQ(cudaMalloc(&data, 101), cudaErrorMemoryAllocation);
    EXPECT_EQ(data, nullptr);
    EXPECT_EQ(cudaGetLastError(), cudaErrorMemoryAllocation);
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
    const OnDevice<char> rest(100);
  }
  EXPECT_EQ(bytes_in_use(0), 0u);
  set_memory_limit(std::size_t{1} << 30);
}

TEST(EmulatedMemory, KnowsItsOwnAddresses) {
  const OnDevice<int> number(std::vector<int>{1});
  int on_host = 0;
  EXPECT_EQ(device_of(number.data()), 0);
  EXPECT_EQ(device_of(&on_host), -1);
  EXPECT_EQ(cudaFree(&on_host), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(number.data(), &on_host, 8, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(&on_host, number.data(), 4, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemset(&on_host, 0, 4), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
}

TEST(EmulatedMemory, CopiesBetweenDevices) {
  set_device_count(2);
  {
    const OnDevice<int> source(std::vector<int>{5});
    expect_success(cudaSetDevice(1));
    const OnDevice<int> target(1);
    EXPECT_EQ(device_of(target.data()), 1);
    const OwnStream stream;
    expect_success(cudaMemcpyPeerAsync(target.data(), 1, source.data(), 0, sizeof(int), stream));
    expect_success(cudaStreamSynchronize(stream));
    EXPECT_EQ(target.now(), std::vector<int>{5});
    EXPECT_EQ(cudaMemcpyPeerAsync(target.data(), 0, source.data(), 1, sizeof(int), stream), cudaErrorInvalidValue);
    // A kernel's stream must belong to the current device.
    expect_success(cudaSetDevice(0));
    EXPECT_EQ(start(stream, 1, 1, &add, target.data(), 1), cudaErrorInvalidResourceHandle);
    EXPECT_EQ(cudaSetDevice(2), cudaErrorInvalidDevice);
  }
  set_device_count(1);
  static_cast<void>(cudaGetLastError());
}

TEST(EmulatedMemoryDeathTest, IsOutOfReachOfTheHost) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const OnDevice<int> number(std::vector<int>{1});
  EXPECT_DEATH(*static_cast<volatile int*>(number.data()) = 2, "");
}

TEST(EmulatedMemoryDeathTest, IsOutOfReachOfOtherDevices) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  set_device_count(2);
  {
    const OnDevice<int> number(std::vector<int>{1});
    expect_success(cudaSetDevice(1));
    EXPECT_DEATH(run(1, 1, &add, number.data(), 1), "");
    expect_success(cudaSetDevice(0));
  }
  set_device_count(1);
}

TEST(EmulatedMemoryDeathTest, TellsOfWritesBehindTheEnd) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        const OnDevice<int> number(std::vector<int>{1});
        run(1, 1, &add, number.data() + 1, 1);
      },
      "behind the end|use-after-poison");
}

}  // namespace
}  // namespace rhyton::cuda_emulation
