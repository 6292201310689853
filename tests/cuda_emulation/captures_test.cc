#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <set>
#include <thread>
#include <vector>

#include <emulation_fixtures.h>
#include <emulator.h>

namespace rhyton::cuda_emulation {
namespace {

__global__ void add_from(int* target, const int* amount) { *target += *amount; }
__global__ void set(int* target, int value) { *target = value; }
__global__ void copy_number(int* target, const int* source) { *target = *source; }

class EmulatedCapture : public testing::Test {
 protected:
  void begin(cudaStreamCaptureMode mode = cudaStreamCaptureModeThreadLocal) {
    expect_success(cudaStreamBeginCapture(stream_, mode));
  }

  cudaGraphExec_t end() {
    cudaGraph_t graph = nullptr;
    expect_success(cudaStreamEndCapture(stream_, &graph));
    cudaGraphExec_t executable = nullptr;
    expect_success(cudaGraphInstantiate(&executable, graph, 0));
    expect_success(cudaGraphDestroy(graph));
    return executable;
  }

  void replay(cudaGraphExec_t executable) {
    expect_success(cudaGraphLaunch(executable, stream_));
    expect_success(cudaStreamSynchronize(stream_));
  }

  /// Expects that a call in the middle of a capture fails and invalidates the capture.
  template <class Call>
  void expect_spoils(cudaError_t error, const Call& call) {
    begin();
    EXPECT_STREQ(cudaGetErrorName(call()), cudaGetErrorName(error));
    EXPECT_EQ(start(stream_, 1, 1, &add, static_cast<int*>(nullptr), 1), cudaErrorStreamCaptureInvalidated);
    cudaGraph_t graph = nullptr;
    EXPECT_EQ(cudaStreamEndCapture(stream_, &graph), cudaErrorStreamCaptureInvalidated);
    EXPECT_EQ(graph, nullptr);
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusActive;
    expect_success(cudaStreamIsCapturing(stream_, &status));
    EXPECT_EQ(status, cudaStreamCaptureStatusNone);
  }

  const OwnStream stream_;
  const OwnStream other_;
  const OwnEvent event_;
};

TEST_F(EmulatedCapture, RunsNothing) {
  const OnDevice<int> number(std::vector<int>{1});
  begin();
  expect_success(start(stream_, 1, 1, &add, number.data(), 10));
  const cudaGraphExec_t executable = end();
  expect_success(cudaStreamSynchronize(stream_));
  EXPECT_EQ(number.now(), std::vector<int>{1});
  expect_success(cudaGraphExecDestroy(executable));
}

TEST_F(EmulatedCapture, FreezesValuesAndReadsMemoryAnew) {
  const OnDevice<int> number(std::vector<int>{0});
  const OnDevice<int> amount(std::vector<int>{100});
  const Pinned pinned(7);
  const OnDevice<int> copied(std::vector<int>{0});
  int by_value = 1;
  begin();
  expect_success(start(stream_, 1, 1, &add, number.data(), by_value));
  expect_success(start(stream_, 1, 1, &add_from, number.data(), amount.data()));
  expect_success(cudaMemcpyAsync(copied.data(), pinned.data(), sizeof(int), cudaMemcpyHostToDevice, stream_));
  const cudaGraphExec_t executable = end();
  by_value = 2;
  replay(executable);
  EXPECT_EQ(number.now(), std::vector<int>{101});
  EXPECT_EQ(copied.now(), std::vector<int>{7});
  const int changed = 1000;
  expect_success(cudaMemcpy(amount.data(), &changed, sizeof(int), cudaMemcpyHostToDevice));
  *pinned.data() = 8;
  replay(executable);
  EXPECT_EQ(number.now(), std::vector<int>{1102});
  EXPECT_EQ(copied.now(), std::vector<int>{8});
  expect_success(cudaGraphExecDestroy(executable));
}

TEST_F(EmulatedCapture, GivesGraphsThatRunInTheOrderOfTheStream) {
  const OnDevice<int> number(std::vector<int>{0});
  begin();
  expect_success(start(stream_, 1, 1, &add, number.data(), 10));
  const cudaGraphExec_t executable = end();
  expect_success(cudaMemsetAsync(number.data(), 1, sizeof(int), stream_));
  expect_success(cudaGraphLaunch(executable, stream_));
  expect_success(start(stream_, 1, 1, &add, number.data(), 1));
  // Work submitted to the stream is done even if the graph is destroyed by then.
  expect_success(cudaGraphExecDestroy(executable));
  EXPECT_EQ(number.now(), std::vector<int>{0});
  expect_success(cudaStreamSynchronize(stream_));
  EXPECT_EQ(number.now(), std::vector<int>{0x01010101 + 11});
}

TEST_F(EmulatedCapture, ShowsItsNodes) {
  const OnDevice<int> number(std::vector<int>{0});
  begin();
  for (int i = 0; i < 3; ++i) expect_success(start(stream_, 1, 1, &add, number.data(), 1));
  cudaGraph_t graph = nullptr;
  expect_success(cudaStreamEndCapture(stream_, &graph));
  std::size_t count = 0;
  expect_success(cudaGraphGetNodes(graph, nullptr, &count));
  EXPECT_EQ(count, 3u);
  expect_success(cudaGraphDestroy(graph));
}

TEST_F(EmulatedCapture, IsCounted) {
  const OnDevice<int> number(std::vector<int>{0});
  const Counters before = counters();
  begin();
  expect_success(start(stream_, 1, 1, &add, number.data(), 1));
  const cudaGraphExec_t executable = end();
  replay(executable);
  replay(executable);
  const Counters after = counters();
  EXPECT_EQ(after.kernels_launched - before.kernels_launched, 1);
  EXPECT_EQ(after.kernels_run - before.kernels_run, 2);
  EXPECT_EQ(after.graphs_launched - before.graphs_launched, 2);
  EXPECT_EQ(after.synchronizations - before.synchronizations, 2);
  expect_success(cudaGraphExecDestroy(executable));
}

TEST_F(EmulatedCapture, IsSpoiledByCallsThatWaitOrAllocate) {
  const OnDevice<int> number(std::vector<int>{0});
  int on_host = 0;
  void* data = nullptr;
  const cudaError_t unsupported = cudaErrorStreamCaptureUnsupported;
  expect_spoils(unsupported, [&] { return cudaStreamSynchronize(stream_); });
  expect_spoils(unsupported, [&] { return cudaStreamQuery(stream_); });
  expect_spoils(unsupported, [&] { return cudaDeviceSynchronize(); });
  expect_spoils(unsupported, [&] { return cudaMalloc(&data, 4); });
  expect_spoils(unsupported, [&] { return cudaFree(number.data()); });
  expect_spoils(unsupported, [&] { return cudaHostAlloc(&data, 4, 0); });
  expect_spoils(unsupported, [&] { return cudaMemcpy(&on_host, number.data(), 4, cudaMemcpyDeviceToHost); });
  expect_spoils(unsupported,
                [&] { return cudaMemcpyAsync(&on_host, number.data(), sizeof(int), cudaMemcpyDeviceToHost, stream_); });
  expect_spoils(unsupported,
                [&] { return cudaMemcpyAsync(number.data(), &on_host, sizeof(int), cudaMemcpyHostToDevice, stream_); });
  expect_spoils(cudaErrorCapturedEvent, [&] {
    expect_success(cudaEventRecord(event_, stream_));
    return cudaEventSynchronize(event_);
  });
  expect_spoils(cudaErrorStreamCaptureIsolation, [&] {
    expect_success(cudaEventRecord(event_, other_));
    return cudaStreamWaitEvent(stream_, event_);
  });
}

TEST_F(EmulatedCapture, LeavesOtherStreamsUsable) {
  const OnDevice<int> number(std::vector<int>{0});
  begin();
  expect_success(start(other_, 1, 1, &add, number.data(), 1));
  expect_success(cudaStreamSynchronize(other_));
  expect_success(cudaGraphExecDestroy(end()));
  EXPECT_EQ(number.now(), std::vector<int>{1});
}

TEST_F(EmulatedCapture, LetsOtherThreadsAllocateIfItIsLocalToItsThread) {
  const auto allocate_elsewhere = [] {
    cudaError_t result = cudaSuccess;
    std::thread([&] {
      void* data = nullptr;
      result = cudaMalloc(&data, 4);
      if (result == cudaSuccess) cudaFree(data);
    }).join();
    return result;
  };
  begin(cudaStreamCaptureModeThreadLocal);
  expect_success(allocate_elsewhere());
  expect_success(cudaGraphExecDestroy(end()));
  begin(cudaStreamCaptureModeGlobal);
  EXPECT_EQ(allocate_elsewhere(), cudaErrorStreamCaptureUnsupported);
  cudaGraph_t graph = nullptr;
  EXPECT_EQ(cudaStreamEndCapture(stream_, &graph), cudaErrorStreamCaptureInvalidated);
}

TEST_F(EmulatedCapture, LetsItsThreadAllocateIfItIsRelaxed) {
  begin(cudaStreamCaptureModeRelaxed);
  void* data = nullptr;
  expect_success(cudaMalloc(&data, 4));
  expect_success(cudaFree(data));
  expect_success(cudaGraphExecDestroy(end()));
}

TEST_F(EmulatedCapture, TakesInStreamsThatWaitForItAndThatItWaitsFor) {
  const OnDevice<int> number(std::vector<int>{0});
  const OwnEvent back;
  begin();
  expect_success(cudaEventRecord(event_, stream_));
  expect_success(cudaStreamWaitEvent(other_, event_));
  expect_success(start(other_, 1, 1, &add, number.data(), 5));
  expect_success(cudaEventRecord(back, other_));
  expect_success(cudaStreamWaitEvent(stream_, back));
  const cudaGraphExec_t executable = end();
  expect_success(cudaDeviceSynchronize());
  EXPECT_EQ(number.now(), std::vector<int>{0});
  replay(executable);
  EXPECT_EQ(number.now(), std::vector<int>{5});
  expect_success(cudaGraphExecDestroy(executable));
}

TEST_F(EmulatedCapture, RunsBranchesInAnyOrderThatItsEventsAllow) {
  const OnDevice<int> contested(std::vector<int>{0});
  const OnDevice<int> number(std::vector<int>{0});
  const OnDevice<int> copied(std::vector<int>{0});
  const OwnEvent back;
  begin();
  expect_success(cudaEventRecord(event_, stream_));
  expect_success(cudaStreamWaitEvent(other_, event_));
  expect_success(start(stream_, 1, 1, &set, contested.data(), 1));
  expect_success(start(other_, 1, 1, &set, contested.data(), 2));
  expect_success(start(other_, 1, 1, &add, number.data(), 1));
  expect_success(cudaEventRecord(back, other_));
  expect_success(cudaStreamWaitEvent(stream_, back));
  expect_success(start(stream_, 1, 1, &copy_number, copied.data(), static_cast<const int*>(number.data())));
  const cudaGraphExec_t executable = end();
  std::set<int> winners;
  for (int launch = 1; launch <= 10; ++launch) {
    replay(executable);
    winners.insert(contested.now().front());
    EXPECT_EQ(copied.now(), std::vector<int>{launch});
  }
  EXPECT_EQ(winners, (std::set<int>{1, 2}));
  EXPECT_EQ(counters().longest_chain, 3);
  expect_success(cudaGraphExecDestroy(executable));
}

TEST_F(EmulatedCapture, FailsIfAStreamIsNotWaitedFor) {
  const OnDevice<int> number(std::vector<int>{0});
  begin();
  expect_success(cudaEventRecord(event_, stream_));
  expect_success(cudaStreamWaitEvent(other_, event_));
  expect_success(start(other_, 1, 1, &add, number.data(), 5));
  cudaGraph_t graph = nullptr;
  EXPECT_EQ(cudaStreamEndCapture(stream_, &graph), cudaErrorStreamCaptureUnjoined);
}

}  // namespace
}  // namespace rhyton::cuda_emulation
