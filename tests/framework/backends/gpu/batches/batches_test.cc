#include <rhyton/framework/backends/gpu/batches/batches.h>

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include <rhyton/framework/error.h>
#include <rhyton/tests/framework/backends/gpu/run_kernel.h>
#include <rhyton/tests/framework/backends/gpu/test_stream.h>

namespace rhyton::gpu {
namespace {

using Bytes = std::vector<unsigned char>;

constexpr std::int64_t samples = 9;

Bytes some_bytes(std::size_t count) {
  Bytes bytes(count);
  for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<unsigned char>(i * 37 + i / 256);
  return bytes;
}

template <class T>
DeviceBlock on_device(const std::vector<T>& elements) {
  DeviceBlock block(elements.size() * sizeof(T));
  test_stream().copy_from_host(block.data(), elements.data(), elements.size() * sizeof(T));
  return block;
}

Bytes on_host(const void* data, std::size_t count) {
  Bytes bytes(count);
  test_stream().copy_to_host(bytes.data(), data, count);
  return bytes;
}

TEST(GpuBatches, GathersSamplesByAPermutation) {
  const std::vector<std::int64_t> permutation = {4, 0, 8, 2, 7, 1, 6, 3, 5};
  const DeviceBlock order = on_device(permutation);
  const DeviceBlock first = on_device(std::vector<std::int64_t>{2});
  for (const std::size_t sample_bytes : {1, 2, 3, 4, 12, 16, 31, 784, 3136}) {
    for (const std::size_t shift : {0, 1, 4}) {
      // Also from and to addresses that are not aligned for wide words.
      const Bytes source = some_bytes(shift + samples * sample_bytes);
      const DeviceBlock data = on_device(source);
      for (const std::int64_t count : {0, 1, 7}) {
        const auto wanted = static_cast<std::size_t>(count) * sample_bytes;
        Bytes expected;
        for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
          const auto sample = static_cast<std::size_t>(permutation[2 + i]);
          const auto begin = source.begin() + static_cast<std::ptrdiff_t>(shift + sample * sample_bytes);
          expected.insert(expected.end(), begin, begin + static_cast<std::ptrdiff_t>(sample_bytes));
        }
        // The bytes after the target are unchanged.
        expected.push_back(0xFF);
        const DeviceBlock target(shift + wanted + 1);
        const OrderedSamples from{.source = static_cast<unsigned char*>(data.data()) + shift,
                                  .samples = samples,
                                  .sample_bytes = sample_bytes,
                                  .permutation = static_cast<const std::int64_t*>(order.data())};
        auto* const to = static_cast<unsigned char*>(target.data()) + shift;
        gather_samples(test_stream(), from, static_cast<const std::int64_t*>(first.data()), count, to);
        EXPECT_EQ(on_host(to, wanted + 1), expected) << sample_bytes << " bytes, shifted by " << shift;
      }
    }
  }
}

TEST(GpuBatches, ReportsWhatLiesOutside) {
  const DeviceBlock source = on_device(some_bytes(samples));
  const auto gather = [&](const std::vector<std::int64_t>& permutation, std::int64_t first) {
    const DeviceBlock order = on_device(permutation);
    const DeviceBlock begin = on_device(std::vector<std::int64_t>{first});
    const DeviceBlock target(3);
    const OrderedSamples from{.source = source.data(),
                              .samples = samples,
                              .sample_bytes = 1,
                              .permutation = static_cast<const std::int64_t*>(order.data())};
    gather_samples(test_stream(), from, static_cast<const std::int64_t*>(begin.data()), 3, target.data());
    on_host(target.data(), 3);
  };
  EXPECT_NO_THROW(gather({0, 1, 2, 3, 4, 5, 6, 7, 8}, 6));
  EXPECT_THROW(gather({0, 1, 2, 3, 4, 5, 6, 7, 8}, 7), InvalidArgumentError);
  EXPECT_THROW(gather({0, 1, 2, 3, 4, 5, 6, 7, 9}, 6), InvalidArgumentError);
  EXPECT_THROW(gather({-1, 1, 2, 3, 4, 5, 6, 7, 8}, 0), InvalidArgumentError);
}

}  // namespace
}  // namespace rhyton::gpu
