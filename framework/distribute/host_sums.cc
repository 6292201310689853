#include <rhyton/framework/distribute/host_sums.h>

#include <algorithm>
#include <array>
#include <string>

#include <rhyton/framework/error.h>

namespace rhyton::distribute {
namespace {

// The elements of a block of inputs stay in the L1 cache until their sum is written.
constexpr std::int64_t block = 1024;
constexpr std::int64_t elements_per_cache_line = 16;

template <class T, class Sum>
void sum_block(std::span<const void* const> inputs, std::span<void* const> outputs, std::int64_t first,
               std::int64_t count) {
  std::array<Sum, block> sums;
  const T* const head = static_cast<const T*>(inputs[0]) + first;
  for (std::int64_t i = 0; i < count; ++i) sums[static_cast<std::size_t>(i)] = static_cast<Sum>(head[i]);
  for (const void* input : inputs.subspan(1)) {
    const T* const next = static_cast<const T*>(input) + first;
    for (std::int64_t i = 0; i < count; ++i) sums[static_cast<std::size_t>(i)] += static_cast<Sum>(next[i]);
  }
  for (void* output : outputs) {
    T* const to = static_cast<T*>(output) + first;
    for (std::int64_t i = 0; i < count; ++i) to[i] = static_cast<T>(sums[static_cast<std::size_t>(i)]);
  }
}

template <class T, class Sum = T>
void sum_all(std::span<const void* const> inputs, std::span<void* const> outputs, std::int64_t first,
             std::int64_t last) {
  for (; first < last; first += block) sum_block<T, Sum>(inputs, outputs, first, std::min(block, last - first));
}

}  // namespace

void sum_in_order(std::span<const void* const> inputs, std::span<void* const> outputs, DType dtype, std::int64_t first,
                  std::int64_t last) {
  switch (dtype) {
    case DType::float32:
      return sum_all<float>(inputs, outputs, first, last);
    case DType::float64:
      return sum_all<double>(inputs, outputs, first, last);
    case DType::float16:
      return sum_all<Half, float>(inputs, outputs, first, last);
    case DType::bfloat16:
      return sum_all<BFloat16, float>(inputs, outputs, first, last);
    // Unsigned, whose overflow is defined.
    case DType::int32:
      return sum_all<std::int32_t, std::uint32_t>(inputs, outputs, first, last);
    case DType::int64:
      return sum_all<std::int64_t, std::uint64_t>(inputs, outputs, first, last);
    default:
      throw NotImplementedError("Sums over replicas of dtype " + std::string(name_of(dtype)) + " are not supported.");
  }
}

Share share_of(std::int64_t elements, int member, int members) {
  const std::int64_t lines = (elements + elements_per_cache_line - 1) / elements_per_cache_line;
  const auto border = [&](std::int64_t of) {
    return std::min(elements, lines * of / members * elements_per_cache_line);
  };
  return {border(member), border(member + 1)};
}

}  // namespace rhyton::distribute
