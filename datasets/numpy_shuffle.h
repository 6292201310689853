#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace rhyton::datasets {

/// The permutation of `numpy.random.RandomState(seed).shuffle`: element i of the shuffled list is element order[i] of
/// the original list.
std::vector<std::size_t> numpy_shuffle(std::size_t count, std::uint32_t seed);

/// The same by a generator that may have shuffled other lists before, as one RandomState does.
std::vector<std::size_t> numpy_shuffle(std::size_t count, std::mt19937& generator);

}  // namespace rhyton::datasets
