#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>
#include <vector>

#include <emulation_fixtures.h>
#include <emulator.h>

namespace rhyton::cuda_emulation {
namespace {

TEST(EmulatedStream, DoesNothingUntilSomebodyWaits) {
  const OwnStream stream;
  const OnDevice<int> number(std::vector<int>{1});
  expect_success(start(stream, 1, 1, &add, number.data(), 10));
  EXPECT_EQ(number.now(), std::vector<int>{1});
  expect_success(cudaStreamSynchronize(stream));
  EXPECT_EQ(number.now(), std::vector<int>{11});
}

TEST(EmulatedStream, DoesNothingForWaitsForOtherStreams) {
  const OwnStream stream;
  const OwnStream other;
  const OnDevice<int> number(std::vector<int>{1});
  expect_success(start(stream, 1, 1, &add, number.data(), 10));
  expect_success(cudaStreamSynchronize(other));
  EXPECT_EQ(number.now(), std::vector<int>{1});
  expect_success(cudaDeviceSynchronize());
  EXPECT_EQ(number.now(), std::vector<int>{11});
}

TEST(EmulatedStream, ReadsPinnedMemoryWhenTheCopyRuns) {
  const OwnStream stream;
  const Pinned source(1);
  const OnDevice<int> target(1);
  expect_success(cudaMemcpyAsync(target.data(), source.data(), sizeof(int), cudaMemcpyHostToDevice, stream));
  *source.data() = 2;
  expect_success(cudaStreamSynchronize(stream));
  EXPECT_EQ(target.now(), std::vector<int>{2});
}

TEST(EmulatedStream, ReadsPageableMemoryAtTheCall) {
  const OwnStream stream;
  int source = 1;
  const OnDevice<int> target(1);
  expect_success(cudaMemcpyAsync(target.data(), &source, sizeof(int), cudaMemcpyHostToDevice, stream));
  source = 2;
  expect_success(cudaStreamSynchronize(stream));
  EXPECT_EQ(target.now(), std::vector<int>{1});
}

TEST(EmulatedStream, WritesPinnedMemoryWhenTheCopyRuns) {
  const OwnStream stream;
  const OnDevice<int> source(std::vector<int>{7});
  const Pinned target(0);
  expect_success(cudaMemcpyAsync(target.data(), source.data(), sizeof(int), cudaMemcpyDeviceToHost, stream));
  EXPECT_EQ(*target.data(), 0);
  expect_success(cudaStreamSynchronize(stream));
  EXPECT_EQ(*target.data(), 7);
}

TEST(EmulatedStream, WaitsForCopiesToPageableMemory) {
  const OwnStream stream;
  const OnDevice<int> source(std::vector<int>{7});
  int target = 0;
  expect_success(start(stream, 1, 1, &add, source.data(), 1));
  expect_success(cudaMemcpyAsync(&target, source.data(), sizeof(int), cudaMemcpyDeviceToHost, stream));
  EXPECT_EQ(target, 8);
}

TEST(EmulatedStream, IsFinishedBeforeMemoryIsFreed) {
  const OwnStream stream;
  const Pinned result(0);
  int* number = nullptr;
  expect_success(cudaMalloc(&number, sizeof(int)));
  expect_success(cudaMemsetAsync(number, 0, sizeof(int), stream));
  expect_success(start(stream, 1, 1, &add, number, 10));
  expect_success(cudaMemcpyAsync(result.data(), number, sizeof(int), cudaMemcpyDeviceToHost, stream));
  expect_success(cudaFree(number));
  EXPECT_EQ(*result.data(), 10);
}

TEST(EmulatedStream, MakesProgressWhileSomebodyAsks) {
  const OwnStream stream;
  const OwnEvent event;
  const OnDevice<int> number(std::vector<int>{1});
  expect_success(start(stream, 1, 1, &add, number.data(), 10));
  expect_success(cudaEventRecord(event, stream));
  EXPECT_EQ(cudaEventQuery(event), cudaErrorNotReady);
  while (cudaEventQuery(event) == cudaErrorNotReady) {
  }
  expect_success(cudaStreamQuery(stream));
  EXPECT_EQ(cudaGetLastError(), cudaErrorNotReady);
  EXPECT_EQ(number.now(), std::vector<int>{11});
}

TEST(EmulatedStream, WaitsForTheDefaultStreamUnlessItIsNonBlocking) {
  cudaStream_t blocking = nullptr;
  expect_success(cudaStreamCreate(&blocking));
  const OwnStream non_blocking;
  const OnDevice<int> number(std::vector<int>{1});
  expect_success(start(nullptr, 1, 1, &add, number.data(), 10));
  const Pinned seen(0);
  expect_success(cudaMemcpyAsync(seen.data(), number.data(), sizeof(int), cudaMemcpyDeviceToHost, non_blocking));
  expect_success(cudaStreamSynchronize(non_blocking));
  EXPECT_EQ(*seen.data(), 1);
  expect_success(cudaMemcpyAsync(seen.data(), number.data(), sizeof(int), cudaMemcpyDeviceToHost, blocking));
  expect_success(cudaStreamSynchronize(blocking));
  EXPECT_EQ(*seen.data(), 11);
  expect_success(cudaStreamDestroy(blocking));
}

TEST(EmulatedStream, TakesWorkOfLibraries) {
  const OwnStream stream;
  int done = 0;
  expect_success(enqueue(stream, [&] { ++done; }));
  EXPECT_EQ(done, 0);
  expect_success(cudaStreamSynchronize(stream));
  EXPECT_EQ(done, 1);
}

TEST(EmulatedEvent, OrdersStreams) {
  const OwnStream first;
  const OwnStream second;
  const OwnEvent event;
  const OnDevice<int> number(std::vector<int>{1});
  const Pinned seen(0);
  expect_success(start(first, 1, 1, &add, number.data(), 10));
  expect_success(cudaEventRecord(event, first));
  expect_success(start(first, 1, 1, &add, number.data(), 100));
  expect_success(cudaStreamWaitEvent(second, event));
  expect_success(cudaMemcpyAsync(seen.data(), number.data(), sizeof(int), cudaMemcpyDeviceToHost, second));
  expect_success(cudaStreamSynchronize(second));
  EXPECT_EQ(*seen.data(), 11);
}

TEST(EmulatedEvent, TellsTheTimeBetweenTwo) {
  const OwnStream stream;
  const OwnEvent begin;
  const OwnEvent end;
  expect_success(cudaEventRecord(begin, stream));
  expect_success(enqueue(stream, [] { std::this_thread::sleep_for(std::chrono::milliseconds(5)); }));
  expect_success(cudaEventRecord(end, stream));
  float milliseconds = 0;
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, begin, end), cudaErrorNotReady);
  expect_success(cudaEventSynchronize(end));
  expect_success(cudaEventElapsedTime(&milliseconds, begin, end));
  EXPECT_GE(milliseconds, 5.0f);
}

}  // namespace
}  // namespace rhyton::cuda_emulation
