#pragma once

#include <cstdint>

#include <rhyton/framework/tensor/index.h>

namespace rhyton {

/// The elements of one axis that a slice selects, in ascending order: begin, begin + step, … below end.
struct SliceRange {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  /// At least 1.
  std::int64_t step = 1;
  bool is_reversed = false;

  std::int64_t count() const { return end <= begin ? 0 : (end - begin - 1) / step + 1; }
};

/// What a slice selects from an axis of that length, as Python's `slice.indices`. Throws ValueError for a step of 0.
SliceRange slice_range(const Slice& slice, std::int64_t length);

}  // namespace rhyton
