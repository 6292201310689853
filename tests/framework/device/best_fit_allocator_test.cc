#include <rhyton/framework/device/best_fit_allocator.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <rhyton/framework/error.h>

namespace rhyton {
namespace {

constexpr std::size_t granularity = BestFitAllocator::granularity;
constexpr std::size_t mebibyte = std::size_t{1} << 20;

/// The requests to a source. Outlives it.
struct Requests {
  std::vector<std::size_t> taken;
  std::size_t held = 0;
};

/// Addresses without memory, up to `capacity` bytes at a time: a device of any size.
class FakeRegions final : public RegionSource {
 public:
  FakeRegions(Requests& requests, std::size_t capacity) : requests_(requests), capacity_(capacity) {}

  void* take(std::size_t bytes) noexcept override {
    if (bytes > capacity_ - requests_.held) return nullptr;
    requests_.taken.push_back(bytes);
    requests_.held += bytes;
    const std::uintptr_t region = next_;
    // Adjacent, so that regions which must not be joined are next to each other.
    next_ += bytes;
    return reinterpret_cast<void*>(region);
  }
  void give_back(void*, std::size_t bytes) noexcept override { requests_.held -= bytes; }

 private:
  Requests& requests_;
  std::size_t capacity_;
  std::uintptr_t next_ = std::uintptr_t{1} << 40;
};

/// Memory of the host.
class HostRegions final : public RegionSource {
 public:
  void* take(std::size_t bytes) noexcept override { return std::aligned_alloc(granularity, bytes); }
  void give_back(void* region, std::size_t) noexcept override { std::free(region); }
};

class BestFitAllocatorTest : public testing::Test {
 protected:
  std::unique_ptr<BestFitAllocator> make(const BestFitOptions& options, std::size_t capacity = std::size_t{1} << 40) {
    return std::make_unique<BestFitAllocator>(std::make_unique<FakeRegions>(requests_, capacity),
                                              "/job:localhost/replica:0/task:0/device:GPU:0", "GPU_0_bfc", options);
  }
  static std::uintptr_t address(const void* block) { return reinterpret_cast<std::uintptr_t>(block); }

  Requests requests_;
};

TEST_F(BestFitAllocatorTest, BlocksAreMultiplesOf256Bytes) {
  const auto allocator = make({.limit = mebibyte, .growth = false});
  void* const a = allocator->allocate(1, 1);
  void* const b = allocator->allocate(257, 64);
  void* const c = allocator->allocate(0, 64);
  EXPECT_EQ(address(b) - address(a), 256U);
  EXPECT_EQ(address(c) - address(b), 512U);
  EXPECT_EQ(allocator->statistics().in_use, 1024U);
  EXPECT_EQ(allocator->statistics().blocks, 3U);
  for (void* const block : {b, a, c}) allocator->deallocate(block, 0);
  EXPECT_EQ(allocator->statistics().in_use, 0U);
  EXPECT_EQ(allocator->statistics().peak, 1024U);
  EXPECT_EQ(allocator->statistics().largest_free, mebibyte) << "all have joined";
  allocator->reset_peak();
  EXPECT_EQ(allocator->statistics().peak, 0U);
}

TEST_F(BestFitAllocatorTest, TheSmallestBlockThatFitsIsTaken) {
  const auto allocator = make({.limit = mebibyte, .growth = false});
  const auto hole = [&](std::size_t size) {
    void* const block = allocator->allocate(size, 1);
    allocator->allocate(granularity, 1);  // keeps the holes apart
    return block;
  };
  void* const large = hole(16 * granularity);
  void* const small = hole(4 * granularity);
  void* const middle = hole(8 * granularity);
  for (void* const block : {large, small, middle}) allocator->deallocate(block, 0);
  EXPECT_EQ(allocator->allocate(6 * granularity, 1), middle);
  EXPECT_EQ(allocator->allocate(4 * granularity, 1), small);
  EXPECT_EQ(allocator->allocate(9 * granularity, 1), large);
}

TEST_F(BestFitAllocatorTest, CoarseAlignmentsLoseNothing) {
  const auto allocator = make({.limit = 4 * mebibyte, .growth = false});
  void* const first = allocator->allocate(granularity, 1);
  void* const aligned = allocator->allocate(granularity, mebibyte);
  EXPECT_EQ(address(aligned) % mebibyte, 0U);
  void* const between = allocator->allocate(granularity, 1);
  EXPECT_LT(address(between), address(aligned));
  for (void* const block : {first, aligned, between}) allocator->deallocate(block, 0);
  EXPECT_EQ(allocator->statistics().largest_free, 4 * mebibyte);
}

TEST_F(BestFitAllocatorTest, GrowsInRegionsOfTwiceTheSize) {
  const auto allocator = make({.first_region = mebibyte});
  EXPECT_TRUE(requests_.taken.empty()) << "nothing before it is needed";
  for (int i = 0; i < 7; ++i) allocator->allocate(mebibyte, 1);
  EXPECT_EQ(requests_.taken, (std::vector<std::size_t>{mebibyte, 2 * mebibyte, 4 * mebibyte}));
  allocator->allocate(100 * mebibyte, 1);
  EXPECT_EQ(requests_.taken.back(), 100 * mebibyte) << "what is larger gets a region of its own";
  EXPECT_EQ(allocator->statistics().reserved, 107 * mebibyte);
}

TEST_F(BestFitAllocatorTest, BlocksOfTwoRegionsDoNotJoin) {
  const auto allocator = make({.first_region = mebibyte});
  void* const a = allocator->allocate(mebibyte, 1);
  void* const b = allocator->allocate(2 * mebibyte, 1);
  ASSERT_EQ(address(b) - address(a), mebibyte) << "they lie side by side";
  allocator->deallocate(a, mebibyte);
  allocator->deallocate(b, 2 * mebibyte);
  EXPECT_EQ(allocator->statistics().largest_free, 2 * mebibyte);
}

TEST_F(BestFitAllocatorTest, WithoutGrowthAllMemoryIsTakenAtOnce) {
  const auto allocator = make({.limit = 10 * mebibyte + 100, .growth = false});
  allocator->allocate(1, 1);
  EXPECT_EQ(requests_.taken, std::vector<std::size_t>{10 * mebibyte});
  EXPECT_THROW(allocator->allocate(10 * mebibyte, 1), ResourceExhaustedError);
  EXPECT_EQ(requests_.taken.size(), 1U);
  EXPECT_THROW(make({.growth = false}), ValueError);
}

TEST_F(BestFitAllocatorTest, TheLimitHoldsForAllRegions) {
  const auto allocator = make({.limit = 10 * mebibyte, .first_region = mebibyte});
  std::vector<void*> blocks;
  for (int i = 0; i < 10; ++i) blocks.push_back(allocator->allocate(mebibyte, 1));
  EXPECT_THROW(allocator->allocate(1, 1), ResourceExhaustedError);
  EXPECT_LE(requests_.held, 10 * mebibyte);
  allocator->deallocate(blocks[4], mebibyte);
  EXPECT_EQ(allocator->allocate(mebibyte, 1), blocks[4]);
}

TEST_F(BestFitAllocatorTest, UnusedRegionsMakeRoomForALargeOne) {
  const auto allocator = make({.limit = 10 * mebibyte, .first_region = mebibyte});
  std::vector<void*> blocks;
  for (int i = 0; i < 6; ++i) blocks.push_back(allocator->allocate(mebibyte, 1));
  for (void* const block : blocks) allocator->deallocate(block, mebibyte);
  EXPECT_NE(allocator->allocate(10 * mebibyte, 1), nullptr);
  EXPECT_EQ(requests_.held, 10 * mebibyte);
}

TEST_F(BestFitAllocatorTest, ADeviceWithLessThanTheLimit) {
  const auto allocator = make({.first_region = 8 * mebibyte}, 9 * mebibyte);
  EXPECT_NE(allocator->allocate(8 * mebibyte, 1), nullptr);
  EXPECT_NE(allocator->allocate(mebibyte, 1), nullptr) << "a smaller region than the next one would have been";
  EXPECT_THROW(allocator->allocate(1, 1), ResourceExhaustedError);
}

TEST_F(BestFitAllocatorTest, TheErrorSaysAll) {
  const auto allocator = make({.limit = 4096, .growth = false});
  void* const first = allocator->allocate(1024, 1);
  allocator->allocate(1024, 1);
  allocator->deallocate(first, 1024);
  try {
    allocator->allocate(3000, 1);
    FAIL() << "nothing was thrown";
  } catch (const ResourceExhaustedError& error) {
    EXPECT_EQ(std::string(error.what()),
              "OOM when allocating 3000 bytes on /job:localhost/replica:0/task:0/device:GPU:0 by allocator GPU_0_bfc: "
              "limit 4096 bytes, in use 1024 bytes, peak 2048 bytes, reserved 4096 bytes, largest free block 2048 "
              "bytes. Try a smaller batch, a smaller model, or a higher memory_limit.");
  }
}

TEST_F(BestFitAllocatorTest, ImpossibleSizesAreRefused) {
  const auto allocator = make({});
  constexpr std::size_t maximum = std::numeric_limits<std::size_t>::max();
  for (const std::size_t bytes : {maximum, maximum - 100, maximum / 2, maximum / 2 - 100}) {
    EXPECT_THROW(allocator->allocate(bytes, 64), ResourceExhaustedError) << bytes;
  }
  EXPECT_EQ(allocator->statistics().in_use, 0U);
}

TEST_F(BestFitAllocatorTest, EverythingGoesBackToTheSource) {
  auto allocator = make({.first_region = mebibyte});
  void* const block = allocator->allocate(mebibyte, 1);
  allocator->allocate(mebibyte, 1);
  allocator->release_unused();
  EXPECT_EQ(requests_.held, 3 * mebibyte) << "both regions are in use";
  allocator->deallocate(block, mebibyte);
  allocator->release_unused();
  EXPECT_EQ(requests_.held, 2 * mebibyte);
  allocator.reset();
  EXPECT_EQ(requests_.held, 0U);
}

/// A million random calls: no block overlaps another or exceeds its region, and in the end all memory is one block.
TEST_F(BestFitAllocatorTest, NothingOverlapsAndEverythingJoins) {
  for (const bool growth : {false, true}) {
    const std::size_t limit = 256 * mebibyte;
    const auto allocator = make({.limit = limit, .growth = growth});
    std::mt19937_64 random(growth ? 1 : 2);
    std::map<std::uintptr_t, std::size_t> live;
    std::vector<std::uintptr_t> order;
    std::size_t in_use = 0;
    std::size_t refused = 0;
    for (int call = 0; call < 500000; ++call) {
      if (order.empty() || random() % 100 < 52) {
        // Many small ones, few large ones.
        const std::size_t bytes = random() % (std::size_t{1} << (random() % 22 + 1));
        const std::size_t alignment = std::size_t{1} << (random() % 13);
        void* block = nullptr;
        try {
          block = allocator->allocate(bytes, alignment);
        } catch (const ResourceExhaustedError&) {
          ++refused;
          continue;
        }
        const std::uintptr_t start = address(block);
        const std::size_t size = (std::max<std::size_t>(bytes, 1) + granularity - 1) / granularity * granularity;
        ASSERT_EQ(start % std::max(alignment, granularity), 0U);
        const auto [place, is_new] = live.insert({start, size});
        ASSERT_TRUE(is_new);
        if (place != live.begin()) {
          ASSERT_LE(std::prev(place)->first + std::prev(place)->second, start);
        }
        if (std::next(place) != live.end()) {
          ASSERT_LE(start + size, std::next(place)->first);
        }
        order.push_back(start);
        in_use += size;
      } else {
        std::swap(order[random() % order.size()], order.back());
        const auto block = live.find(order.back());
        allocator->deallocate(reinterpret_cast<void*>(block->first), block->second);
        in_use -= block->second;
        live.erase(block);
        order.pop_back();
      }
      if (call % 1000 == 0) {
        ASSERT_EQ(allocator->statistics().in_use, in_use);
        ASSERT_EQ(allocator->statistics().blocks, live.size());
        ASSERT_LE(allocator->statistics().reserved, limit);
      }
    }
    EXPECT_GT(refused, 0U) << "the limit was never reached";
    for (const auto& [start, size] : live) allocator->deallocate(reinterpret_cast<void*>(start), size);
    EXPECT_EQ(allocator->statistics().in_use, 0U);
    if (!growth) {
      EXPECT_EQ(allocator->statistics().largest_free, limit);
    }
    allocator->release_unused();
    EXPECT_EQ(allocator->statistics().reserved, 0U) << "some region has not become one block again";
  }
}

TEST(BestFitAllocatorOnTheHost, BlocksAreUsableToTheLastByteFromSeveralThreads) {
  BestFitAllocator allocator(std::make_unique<HostRegions>(), "/device:CPU:0", "CPU_0", {.limit = 64 * mebibyte});
  std::vector<std::thread> threads;
  std::vector<int> damaged(4, 0);
  threads.reserve(damaged.size());
  for (std::size_t t = 0; t < damaged.size(); ++t) {
    threads.emplace_back([&, t] {
      std::mt19937 random(static_cast<unsigned>(t));
      for (int i = 0; i < 2000; ++i) {
        const std::size_t bytes = random() % 5000 + 1;
        auto* const block = static_cast<unsigned char*>(allocator.allocate(bytes, 64));
        const auto value = static_cast<unsigned char>(t + 1);
        std::memset(block, value, bytes);
        std::this_thread::yield();
        for (std::size_t at = 0; at < bytes; ++at) damaged[t] += block[at] != value ? 1 : 0;
        allocator.deallocate(block, bytes);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(damaged, std::vector<int>(4, 0));
  EXPECT_EQ(allocator.statistics().in_use, 0U);
}

}  // namespace
}  // namespace rhyton
