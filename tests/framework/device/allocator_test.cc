#include <rhyton/framework/device/host_allocator.h>

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include <rhyton/framework/error.h>

namespace rhyton {
namespace {

TEST(HostAllocatorTest, AlignsAndCounts) {
  HostAllocator allocator("/device:CPU:0", "CPU_0");
  void* small = allocator.allocate(1, 1);
  void* wide = allocator.allocate(100, 4096);
  void* nothing = allocator.allocate(0, 64);
  EXPECT_NE(nothing, nullptr);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(small) % 64, 0U);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(wide) % 4096, 0U);
  EXPECT_EQ(allocator.statistics().in_use, 64U + 128U + 64U);
  EXPECT_EQ(allocator.statistics().blocks, 3U);
  allocator.deallocate(wide, 100);
  EXPECT_EQ(allocator.statistics().in_use, 128U);
  EXPECT_EQ(allocator.statistics().peak, 256U);
  allocator.reset_peak();
  EXPECT_EQ(allocator.statistics().peak, 128U);
  allocator.deallocate(small, 1);
  allocator.deallocate(nothing, 0);
  allocator.deallocate(nullptr, 10);
  EXPECT_EQ(allocator.statistics().in_use, 0U);
  EXPECT_EQ(allocator.statistics().blocks, 0U);
}

TEST(HostAllocatorTest, LargeBlocksAreUsableToTheLastByte) {
  HostAllocator allocator("/device:CPU:0", "CPU_0");
  const std::size_t bytes = HostAllocator::huge_page_threshold + 4097;
  void* block = allocator.allocate(bytes, 64);
  std::memset(block, 1, bytes);
  allocator.deallocate(block, bytes);
  EXPECT_EQ(allocator.statistics().in_use, 0U);
}

TEST(HostAllocatorTest, LimitIsHardAndTheErrorSaysAll) {
  HostAllocator allocator("/job:localhost/replica:0/task:0/device:CPU:0", "CPU_0", 1024);
  void* all = allocator.allocate(1024, 64);
  allocator.deallocate(all, 1024);
  void* half = allocator.allocate(512, 64);
  try {
    allocator.allocate(576, 64);
    FAIL() << "nothing was thrown";
  } catch (const ResourceExhaustedError& error) {
    EXPECT_EQ(std::string(error.what()),
              "OOM when allocating 576 bytes on /job:localhost/replica:0/task:0/device:CPU:0 by allocator CPU_0: limit "
              "1024 bytes, in use 512 bytes, peak 1024 bytes. Try a smaller batch, a smaller model, or a higher "
              "memory_limit.");
  }
  EXPECT_EQ(allocator.statistics().in_use, 512U);
  allocator.deallocate(half, 512);
}

TEST(HostAllocatorTest, ImpossibleSizesAreRefused) {
  HostAllocator allocator("/device:CPU:0", "CPU_0");
  for (const std::size_t bytes :
       {std::numeric_limits<std::size_t>::max(), std::numeric_limits<std::size_t>::max() / 2}) {
    EXPECT_THROW(allocator.allocate(bytes, 64), ResourceExhaustedError);
  }
  EXPECT_EQ(allocator.statistics().in_use, 0U);
}

TEST(HostAllocatorTest, ThreadsNeverTakeMoreThanTheLimitTogether) {
  HostAllocator allocator("/device:CPU:0", "CPU_0", 64 * 10);
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int repeat = 0; repeat < 2000; ++repeat) {
        try {
          void* block = allocator.allocate(64 * 4, 64);
          allocator.deallocate(block, 64 * 4);
        } catch (const ResourceExhaustedError&) {
          std::this_thread::yield();
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(allocator.statistics().in_use, 0U);
  EXPECT_LE(allocator.statistics().peak, 64U * 10);
}

}  // namespace
}  // namespace rhyton
