#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace rhyton::datasets {

/// The permutation of Python's `random.seed(seed); random.shuffle(list)`: element i of the shuffled list is element
/// order[i] of the original list. Of a negative seed Python takes the absolute value.
std::vector<std::size_t> python_shuffle(std::size_t count, std::int64_t seed);

}  // namespace rhyton::datasets
