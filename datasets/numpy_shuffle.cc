#include <rhyton/datasets/numpy_shuffle.h>

#include <bit>
#include <numeric>
#include <utility>

#include <rhyton/framework/error.h>

namespace rhyton::datasets {

std::vector<std::size_t> numpy_shuffle(std::size_t count, std::uint32_t seed) {
  std::mt19937 generator(seed);
  return numpy_shuffle(count, generator);
}

std::vector<std::size_t> numpy_shuffle(std::size_t count, std::mt19937& generator) {
  if (count > 0xFFFFFFFFU) throw ValueError("A list to be shuffled has at most 2**32 - 1 elements.");
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = count; i-- > 1;) {
    // Draws as many bits as i needs, and repeats until the number is at most i.
    const auto mask = static_cast<std::uint32_t>(std::bit_ceil(i + 1) - 1);
    std::uint32_t j = 0;
    do {
      j = static_cast<std::uint32_t>(generator()) & mask;
    } while (j > i);
    std::swap(order[i], order[j]);
  }
  return order;
}

}  // namespace rhyton::datasets
