#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace rhyton::datasets {

/// The permutation of `numpy.random.RandomState(seed).shuffle`: element i of the shuffled list is element order[i] of
/// the original list.
std::vector<std::size_t> numpy_shuffle(std::size_t count, std::uint32_t seed);

}  // namespace rhyton::datasets
