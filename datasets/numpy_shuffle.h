#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace rhyton::datasets {

/// The order in which `numpy.random.RandomState(seed).shuffle` leaves a list: element i of the shuffled list is element
/// order[i] of the given one.
std::vector<std::size_t> numpy_shuffle(std::size_t count, std::uint32_t seed);

}  // namespace rhyton::datasets
