#pragma once

#include <cstdint>
#include <span>

#include <rhyton/framework/tensor/shape.h>

namespace rhyton::gpu {

/// Axes that are iterated over as one, the last one fastest.
struct AxisGroup {
  // Adjacent axes that are both reduced or both kept are merged, so that no more can be left.
  static constexpr int maximum = Shape::max_rank / 2;

  int count = 0;
  std::int64_t lengths[maximum] = {};
  std::int64_t strides[maximum] = {};

  void push_front(std::int64_t length, std::int64_t stride);
  std::int64_t size() const;
};

/// The layout of a tensor that is reduced: element (outer, row, column) is reduced over the rows.
struct ReducedLayout {
  AxisGroup outer;
  AxisGroup rows;
  /// The last axis where it is kept, else 1.
  std::int64_t columns = 1;

  ReducedLayout(const Shape& shape, std::span<const int> reduced_axes);

  /// Whether neighbouring elements are reduced with each other.
  bool joins_last_axis() const { return rows.count > 0 && rows.strides[rows.count - 1] == 1; }
  /// Whether outer and rows have at most one axis each.
  bool is_direct() const { return outer.count <= 1 && rows.count <= 1; }
};

}  // namespace rhyton::gpu
