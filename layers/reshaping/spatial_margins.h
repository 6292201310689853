#pragma once

#include <vector>

#include <rhyton/layers/reshaping/margins.h>

namespace rhyton::layers {

/// Before and after each spatial axis, for one axis and for several.
inline std::vector<Size2> spatial_margins(const Size2& margin) { return {margin}; }

template <int rank>
std::vector<Size2> spatial_margins(const Margins<rank>& margins) {
  return {margins.axes().begin(), margins.axes().end()};
}

}  // namespace rhyton::layers
