#pragma once

#include <cstddef>
#include <cstdint>

namespace rhyton::graph {

/// Where a list with one element for each node, or for each value, has that of the one with this id.
constexpr std::size_t at(std::int32_t id) { return static_cast<std::size_t>(id); }

}  // namespace rhyton::graph
