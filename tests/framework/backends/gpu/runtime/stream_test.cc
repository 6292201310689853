// The queue of a GPU: copies, recordings, synchronization between two queues.

#include <rhyton/framework/backends/gpu/runtime/stream.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/device/device_copy.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/tensor/storage.h>
#include <rhyton/tests/framework/backends/gpu/gpus.h>

namespace rhyton::gpu {
namespace {

using Numbers = std::vector<std::int32_t>;

Numbers counting(std::size_t count, std::int32_t first) {
  Numbers numbers(count);
  std::iota(numbers.begin(), numbers.end(), first);
  return numbers;
}

/// Numbers on a GPU.
class Block {
 public:
  Block(std::size_t count, LogicalDevice& device)
      : storage_(Storage::allocate(count * sizeof(std::int32_t), device)), count_(count) {}

  void write(const Numbers& numbers) { stream().copy_from_host(data(), numbers.data(), bytes()); }
  Numbers read() {
    Numbers numbers(count_);
    stream().copy_to_host(numbers.data(), data(), bytes());
    return numbers;
  }
  void* data() { return storage_->data(); }
  std::size_t bytes() const { return count_ * sizeof(std::int32_t); }
  Stream& stream() { return storage_->device().stream(); }

 private:
  std::shared_ptr<Storage> storage_;
  std::size_t count_;
};

TEST(GpuStream, CopiesWhatTheHostHadWhenItWasCalled) {
  // Small copies are part of the command, larger ones use pinned memory, the largest are direct.
  for (const std::size_t count : {1, 1000, 100'000, 20'000'000}) {
    Block block(count, first_gpu());
    for (std::int32_t round = 0; round < 5; ++round) {
      Numbers numbers = counting(count, round);
      block.write(numbers);
      std::fill(numbers.begin(), numbers.end(), -1);
    }
    EXPECT_EQ(block.read(), counting(count, 4)) << count;
  }
}

TEST(GpuStream, ReplaysWhatItRecordedOnWhatTheMemoryHoldsThen) {
  Block from(100, first_gpu());
  Block to(100, first_gpu());
  Stream& stream = from.stream();
  from.write(counting(100, 1));
  stream.fill(to.data(), 0, to.bytes());
  stream.begin_recording();
  stream.copy(to.data(), from.data(), to.bytes());
  const std::unique_ptr<RecordedWork> recording = stream.end_recording();
  EXPECT_EQ(to.read(), Numbers(100, 0));
  recording->replay();
  EXPECT_EQ(to.read(), counting(100, 1));
  from.write(counting(100, 7));
  recording->replay();
  EXPECT_EQ(to.read(), counting(100, 7));
}

TEST(GpuStream, BranchesOfARecordingWaitForMarks) {
  Block source(100, first_gpu());
  std::vector<std::unique_ptr<Block>> blocks;
  for (int i = 0; i < 5; ++i) blocks.push_back(std::make_unique<Block>(100, first_gpu()));
  Stream& stream = source.stream();
  ASSERT_GT(stream.max_branches(), 2U);
  stream.begin_recording();
  const auto copy = [&](std::size_t to, Block& from) { stream.copy(blocks[to]->data(), from.data(), from.bytes()); };
  copy(0, source);
  stream.set_mark(0);
  stream.continue_branch(2, {});
  copy(1, source);
  stream.set_mark(7);
  const std::array<std::size_t, 1> first = {0};
  stream.continue_branch(1, first);
  copy(2, *blocks[0]);
  const std::array<std::size_t, 1> second = {7};
  stream.continue_branch(0, second);
  copy(3, *blocks[1]);
  stream.continue_branch(1, {});
  copy(4, *blocks[2]);
  const std::unique_ptr<RecordedWork> recording = stream.end_recording();
  for (std::int32_t round = 1; round < 6; ++round) {
    source.write(counting(100, round));
    recording->replay();
    for (const std::unique_ptr<Block>& block : blocks) EXPECT_EQ(block->read(), counting(100, round)) << round;
  }
}

TEST(GpuStream, WorksOnAfterARecordingOnBranchesThatFailed) {
  Block block(10, first_gpu());
  Stream& stream = block.stream();
  block.write(counting(10, 1));
  stream.begin_recording();
  stream.continue_branch(1, {});
  stream.fill(block.data(), 0, block.bytes());
  EXPECT_THROW(stream.synchronize(), RuntimeError);
  EXPECT_THROW(stream.end_recording(), RuntimeError);
  EXPECT_EQ(block.read(), counting(10, 1));
  stream.fill(block.data(), 0, block.bytes());
  EXPECT_EQ(block.read(), Numbers(10, 0));
}

TEST(GpuStream, WorksOnAfterARecordingThatFailed) {
  Block block(10, first_gpu());
  Stream& stream = block.stream();
  block.write(counting(10, 1));
  stream.begin_recording();
  EXPECT_THROW(stream.synchronize(), RuntimeError);
  EXPECT_THROW(stream.end_recording(), RuntimeError);
  EXPECT_EQ(block.read(), counting(10, 1));
}

TEST(GpuStream, CopiesFromAnotherDeviceInOrder) {
  for (const std::size_t count : {10, 1'000'000}) {
    Block from(count, first_gpu());
    Block to(count, second_gpu());
    from.write(counting(count, 1));
    copy_between_devices(second_gpu(), to.data(), first_gpu(), from.data(), from.bytes());
    // Later work on the first device must not overtake the copy.
    from.write(counting(count, 2));
    EXPECT_EQ(to.read(), counting(count, 1));
    EXPECT_EQ(from.read(), counting(count, 2));
  }
}

TEST(GpuStream, BranchesHaveHandlesOfCudnnThatExistBeforeTheRecording) {
  GpuStream stream(0);
  const cudnnHandle_t first = stream.dnn();
  std::set<cudnnHandle_t> handles = {first};
  stream.begin_recording();
  for (std::size_t branch = 1; branch < stream.max_branches(); ++branch) {
    stream.continue_branch(branch, {});
    const cudnnHandle_t handle = stream.dnn();
    handles.insert(handle);
    cudaStream_t target = nullptr;
    EXPECT_EQ(cudnnGetStream(handle, &target), CUDNN_STATUS_SUCCESS);
    EXPECT_EQ(target, stream.handle());
  }
  stream.continue_branch(0, {});
  EXPECT_EQ(stream.dnn(), first);
  // Fails if a handle was created during the recording.
  EXPECT_NO_THROW(stream.end_recording());
  EXPECT_EQ(handles.size(), stream.max_branches());
  EXPECT_EQ(stream.dnn(), first);
}

}  // namespace
}  // namespace rhyton::gpu
