#include <nccl.h>

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <thread>
#include <vector>

#include <emulation_fixtures.h>
#include <emulator.h>
#include <nccl_emulation.h>

namespace rhyton::cuda_emulation {
namespace {

/// There are two devices during its lifetime.
class TwoDevices {
 public:
  TwoDevices() { set_device_count(2); }
  ~TwoDevices() {
    cudaSetDevice(0);
    set_device_count(1);
  }
  TwoDevices(const TwoDevices&) = delete;
  TwoDevices& operator=(const TwoDevices&) = delete;
};

/// A rank on the device of its number, with one number that it sums in place.
class Rank {
 public:
  Rank(int device, int value) : device_(device) {
    make_current();
    stream_ = std::make_unique<OwnStream>();
    number_ = std::make_unique<OnDevice<int>>(std::vector<int>{value});
  }
  ~Rank() {
    make_current();
    number_.reset();
    stream_.reset();
  }
  Rank(const Rank&) = delete;
  Rank& operator=(const Rank&) = delete;

  void make_current() const { cudaSetDevice(device_); }
  ncclResult_t join(ncclUniqueId id, int ranks) {
    make_current();
    return ncclCommInitRank(&communicator, ranks, id, device_);
  }
  void sum() {
    make_current();
    EXPECT_EQ(ncclAllReduce(data(), data(), 1, ncclInt32, ncclSum, communicator, stream()), ncclSuccess);
  }
  void add(int amount) {
    make_current();
    expect_success(start(stream(), 1, 1, &cuda_emulation::add, data(), amount));
  }
  void wait() const { expect_success(cudaStreamSynchronize(stream())); }
  int now() const {
    make_current();
    return number_->now().front();
  }
  int* data() const { return number_->data(); }
  cudaStream_t stream() const { return *stream_; }

  ncclComm_t communicator = nullptr;

 private:
  int device_;
  std::unique_ptr<OwnStream> stream_;
  std::unique_ptr<OnDevice<int>> number_;
};

/// Two ranks of one communicator.
class EmulatedNcclRanks : public testing::Test {
 protected:
  EmulatedNcclRanks() {
    ncclUniqueId id;
    EXPECT_EQ(ncclGetUniqueId(&id), ncclSuccess);
    std::thread other([&] { EXPECT_EQ(second.join(id, 2), ncclSuccess); });
    EXPECT_EQ(first.join(id, 2), ncclSuccess);
    other.join();
  }
  ~EmulatedNcclRanks() override {
    first.wait();
    second.wait();
    EXPECT_EQ(ncclCommDestroy(first.communicator), ncclSuccess);
    EXPECT_EQ(ncclCommDestroy(second.communicator), ncclSuccess);
  }

  TwoDevices devices;
  Rank first{0, 1};
  Rank second{1, 10};
};

TEST_F(EmulatedNcclRanks, SumWhenSomebodyWaits) {
  first.sum();
  second.sum();
  EXPECT_EQ(first.now(), 1);
  first.wait();
  EXPECT_EQ(first.now(), 11);
  EXPECT_EQ(second.now(), 11);
}

TEST_F(EmulatedNcclRanks, DoOfEachOtherWhatComesBeforeAndNoMore) {
  second.add(5);
  first.sum();
  second.sum();
  second.add(100);
  first.wait();
  EXPECT_EQ(first.now(), 16);
  EXPECT_EQ(second.now(), 16);
  second.wait();
  EXPECT_EQ(second.now(), 116);
}

TEST_F(EmulatedNcclRanks, WaitForCallsOfOtherThreads) {
  first.sum();
  std::thread waiting([&] {
    first.make_current();
    first.wait();
    EXPECT_EQ(first.now(), 11);
  });
  second.sum();
  second.wait();
  waiting.join();
}

TEST_F(EmulatedNcclRanks, MeetInGraphsNodeByNode) {
  std::array<cudaGraphExec_t, 2> graphs{};
  for (Rank* const rank : {&first, &second}) {
    expect_success(cudaStreamBeginCapture(rank->stream(), cudaStreamCaptureModeThreadLocal));
    rank->sum();
    rank->add(1);
    rank->sum();
    cudaGraph_t graph = nullptr;
    expect_success(cudaStreamEndCapture(rank->stream(), &graph));
    expect_success(cudaGraphInstantiate(&graphs[rank == &first ? 0 : 1], graph));
    expect_success(cudaGraphDestroy(graph));
  }
  EXPECT_EQ(first.now(), 1);
  expect_success(cudaGraphLaunch(graphs[0], first.stream()));
  expect_success(cudaGraphLaunch(graphs[0], first.stream()));
  expect_success(cudaGraphLaunch(graphs[1], second.stream()));
  // The same sums without recording.
  second.sum();
  second.add(1);
  second.sum();
  first.wait();
  second.wait();
  // 11 on both, then 12, 24; 48, 49, 98.
  EXPECT_EQ(first.now(), 98);
  EXPECT_EQ(second.now(), 98);
  for (const cudaGraphExec_t graph : graphs) expect_success(cudaGraphExecDestroy(graph));
}

TEST_F(EmulatedNcclRanks, DoNotWaitForWorkBehindTheSumThatTheThreadItselfIsStillToGive) {
  first.sum();
  second.make_current();
  // Releasing memory waits for work, but not for a sum that this rank has not called.
  { const OnDevice<int> passing(1); }
  second.sum();
  second.wait();
  EXPECT_EQ(second.now(), 11);
}

TEST_F(EmulatedNcclRanks, RefuseMemoryAndStreamsOfOtherDevices) {
  first.make_current();
  EXPECT_EQ(ncclAllReduce(second.data(), first.data(), 1, ncclInt32, ncclSum, first.communicator, first.stream()),
            ncclInvalidArgument);
  EXPECT_EQ(ncclAllReduce(first.data(), first.data(), 2, ncclInt32, ncclSum, first.communicator, first.stream()),
            ncclInvalidArgument);
  EXPECT_EQ(ncclAllReduce(first.data(), first.data(), 1, ncclInt32, ncclSum, first.communicator, second.stream()),
            ncclUnhandledCudaError);
  EXPECT_EQ(ncclAllReduce(first.data(), first.data(), 1, ncclInt32, ncclSum, nullptr, first.stream()),
            ncclInvalidArgument);
}

TEST(EmulatedNccl, RefusesTwoRanksOnOneDevice) {
  ncclUniqueId id;
  EXPECT_EQ(ncclGetUniqueId(&id), ncclSuccess);
  ncclComm_t communicators[2] = {};
  std::thread other([&] { EXPECT_EQ(ncclCommInitRank(&communicators[1], 2, id, 1), ncclInvalidUsage); });
  EXPECT_EQ(ncclCommInitRank(&communicators[0], 2, id, 0), ncclInvalidUsage);
  other.join();
  EXPECT_EQ(communicators[0], nullptr);
  EXPECT_EQ(communicators[1], nullptr);
}

TEST(EmulatedNccl, RefusesRanksThatDoNotExist) {
  ncclUniqueId id;
  EXPECT_EQ(ncclGetUniqueId(&id), ncclSuccess);
  ncclComm_t communicator = nullptr;
  EXPECT_EQ(ncclCommInitRank(&communicator, 2, id, 2), ncclInvalidArgument);
  EXPECT_EQ(ncclCommInitRank(&communicator, 0, id, 0), ncclInvalidArgument);
}

TEST(EmulatedNccl, LetsRanksThatWaitGoWhenTheyAreAborted) {
  const TwoDevices devices;
  Rank first(0, 1);
  Rank second(1, 10);
  ncclUniqueId id;
  EXPECT_EQ(ncclGetUniqueId(&id), ncclSuccess);
  std::thread other([&] { EXPECT_EQ(second.join(id, 2), ncclSuccess); });
  EXPECT_EQ(first.join(id, 2), ncclSuccess);
  other.join();
  first.sum();
  std::thread waiting([&] { first.wait(); });
  EXPECT_EQ(ncclCommAbort(first.communicator), ncclSuccess);
  waiting.join();
  // The lost member's value is missing for the other one too.
  second.sum();
  EXPECT_EQ(ncclCommAbort(second.communicator), ncclSuccess);
  second.wait();
  EXPECT_EQ(second.now(), 10);
}

TEST(EmulatedPeers, ReachEachOthersMemoryOnceTheyAreTold) {
  const TwoDevices devices;
  cudaSetDevice(1);
  {
    const OnDevice<int> number(std::vector<int>{1});
    cudaSetDevice(0);
    int can_access = 0;
    expect_success(cudaDeviceCanAccessPeer(&can_access, 0, 1));
    EXPECT_EQ(can_access, 1);
    expect_success(cudaDeviceCanAccessPeer(&can_access, 0, 0));
    EXPECT_EQ(can_access, 0);
    expect_success(cudaDeviceEnablePeerAccess(1, 0));
    EXPECT_EQ(cudaDeviceEnablePeerAccess(1, 0), cudaErrorPeerAccessAlreadyEnabled);
    EXPECT_EQ(cudaDeviceEnablePeerAccess(0, 0), cudaErrorInvalidDevice);
    run(1, 1, &add, number.data(), 5);
    cudaSetDevice(1);
    EXPECT_EQ(number.now().front(), 6);
  }
  static_cast<void>(cudaGetLastError());
}

TEST(EmulatedPeers, MayHaveNoWayToEachOther) {
  const TwoDevices devices;
  set_peer_access(false);
  cudaSetDevice(1);
  int can_access = 1;
  expect_success(cudaDeviceCanAccessPeer(&can_access, 1, 0));
  EXPECT_EQ(can_access, 0);
  EXPECT_EQ(cudaDeviceEnablePeerAccess(0, 0), cudaErrorPeerAccessUnsupported);
  set_peer_access(true);
  static_cast<void>(cudaGetLastError());
}

}  // namespace
}  // namespace rhyton::cuda_emulation
