#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include <rhyton/apps/rhyton/svg.h>

namespace rhyton::tool {

/// The positions of boxes and of the arrows between them.
struct GraphLayout {
  /// The upper left corner of each box.
  std::vector<Point> corners;
  /// For each edge the points of its path, from box to box.
  std::vector<std::vector<Point>> paths;
  Size size;
};

/// Arranges boxes in rows so that edges (pairs of indices of `boxes`) run downwards around the boxes between, as in
/// Sugiyama, Tagawa and Toda, "Methods for visual understanding of hierarchical system structures" (1981): rows by the
/// longest path from a start, few crossings within the rows, boxes near the middle of their neighbours. Edges that
/// close a cycle run upwards.
GraphLayout lay_out(const std::vector<Size>& boxes, const std::vector<std::pair<std::size_t, std::size_t>>& edges);

}  // namespace rhyton::tool
