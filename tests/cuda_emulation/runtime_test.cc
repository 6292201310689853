#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include <emulation_fixtures.h>
#include <emulator.h>

namespace rhyton::cuda_emulation {
namespace {

TEST(EmulatedRuntime, FailsWhenATestWantsIt) {
  const OwnStream stream;
  fail_next("cudaStreamSynchronize", cudaErrorIllegalAddress, 1);
  expect_success(cudaStreamSynchronize(stream));
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaErrorIllegalAddress);
  EXPECT_EQ(cudaPeekAtLastError(), cudaErrorIllegalAddress);
  EXPECT_EQ(cudaGetLastError(), cudaErrorIllegalAddress);
  expect_success(cudaStreamSynchronize(stream));
  EXPECT_STREQ(cudaGetErrorString(cudaErrorIllegalAddress), "an illegal memory access was encountered");
}

TEST(EmulatedRuntime, HasNoDeviceWhenATestWantsIt) {
  set_device_count(0);
  int count = -1;
  EXPECT_EQ(cudaGetDeviceCount(&count), cudaErrorNoDevice);
  EXPECT_EQ(count, 0);
  set_device_count(1);
  EXPECT_EQ(cudaGetLastError(), cudaErrorNoDevice);
}

TEST(EmulatedRuntime, DescribesItsDevice) {
  cudaDeviceProp properties{};
  expect_success(cudaGetDeviceProperties(&properties, 0));
  EXPECT_STREQ(properties.name, "Emulated GPU");
  EXPECT_EQ(properties.major, 9);
  int multiprocessors = 0;
  expect_success(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
  EXPECT_EQ(multiprocessors, properties.multiProcessorCount);
  char bus[16] = {};
  expect_success(cudaDeviceGetPCIBusId(bus, sizeof(bus), 0));
  EXPECT_STREQ(bus, "0000:01:00.0");
}

TEST(EmulatedRuntime, IsUsableFromSeveralThreads) {
  const OnDevice<int> numbers(std::vector<int>(4, 0));
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&numbers, i] {
      const OwnStream stream;
      for (int round = 0; round < 50; ++round) {
        expect_success(start(stream, 1, 1, &add, numbers.data() + i, i));
        expect_success(cudaStreamSynchronize(stream));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(numbers.now(), (std::vector<int>{0, 50, 100, 150}));
}

}  // namespace
}  // namespace rhyton::cuda_emulation
