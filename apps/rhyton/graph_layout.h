#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include <rhyton/apps/rhyton/svg.h>

namespace rhyton::tool {

/// Where boxes and the arrows between them go.
struct GraphLayout {
  /// The upper left corner of each box.
  std::vector<Point> corners;
  /// For each edge the points that it passes, from box to box.
  std::vector<std::vector<Point>> paths;
  Size size;
};

/// Puts boxes into rows so that edges (pairs of indices of `boxes`) run downwards past the boxes between, as in
/// Sugiyama, Tagawa and Toda, "Methods for visual understanding of hierarchical system structures" (1981): rows by the
/// longest way from a start, few crossings within the rows, boxes near the middle of what they hang on. Edges that
/// close a circle run upwards.
GraphLayout lay_out(const std::vector<Size>& boxes, const std::vector<std::pair<std::size_t, std::size_t>>& edges);

}  // namespace rhyton::tool
