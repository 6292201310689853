#include <rhyton/datasets/python_shuffle.h>

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <random>
#include <utility>

#include <rhyton/framework/error.h>

namespace rhyton::datasets {
namespace {

constexpr std::size_t words = std::mt19937::state_size;

/// The state of a Mersenne twister after `init_by_array` (Matsumoto and Nishimura, mt19937ar.c), which is how Python
/// uses a seed. A seed sequence whose words an engine takes as they are.
class InitByArray {
 public:
  using result_type = std::uint32_t;

  explicit InitByArray(const std::vector<std::uint32_t>& key) {
    state_[0] = 19650218;
    for (std::size_t i = 1; i < words; ++i) {
      state_[i] = 1812433253U * mixed(i) + static_cast<std::uint32_t>(i);
    }
    std::size_t i = 1;
    for (std::size_t k = 0; k < std::max(words, key.size()); ++k) {
      const std::size_t j = k % key.size();
      state_[i] = (state_[i] ^ (mixed(i) * 1664525U)) + key[j] + static_cast<std::uint32_t>(j);
      advance(i);
    }
    for (std::size_t k = 1; k < words; ++k) {
      state_[i] = (state_[i] ^ (mixed(i) * 1566083941U)) - static_cast<std::uint32_t>(i);
      advance(i);
    }
    state_[0] = 0x80000000U;
  }

  template <class Iterator>
  void generate(Iterator begin, Iterator end) const {
    for (std::size_t i = 0; begin != end; ++begin) *begin = state_[i++ % words];
  }

 private:
  std::uint32_t mixed(std::size_t i) const { return state_[i - 1] ^ (state_[i - 1] >> 30); }

  void advance(std::size_t& i) {
    if (++i < words) return;
    state_[0] = state_[words - 1];
    i = 1;
  }

  std::array<std::uint32_t, words> state_{};
};

}  // namespace

std::vector<std::size_t> python_shuffle(std::size_t count, std::int64_t seed) {
  if (count > 0xFFFFFFFFU) throw ValueError("A list to be shuffled has at most 2**32 - 1 elements.");
  const std::uint64_t absolute =
      seed < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(seed) : static_cast<std::uint64_t>(seed);
  std::vector<std::uint32_t> key = {static_cast<std::uint32_t>(absolute)};
  if (absolute >> 32 != 0) key.push_back(static_cast<std::uint32_t>(absolute >> 32));
  InitByArray state(key);
  std::mt19937 generator(state);
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = count; i-- > 1;) {
    // As many bits as i + 1 has, until the number is at most i.
    const int bits = static_cast<int>(std::bit_width(i + 1));
    std::size_t j = 0;
    do {
      j = static_cast<std::uint32_t>(generator()) >> (32 - bits);
    } while (j > i);
    std::swap(order[i], order[j]);
  }
  return order;
}

}  // namespace rhyton::datasets
