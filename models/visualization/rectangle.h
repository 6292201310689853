#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace rhyton::visualization {

/// The pixels of an image, (height, width, channels).
struct Canvas {
  std::span<std::uint8_t> pixels;
  std::int64_t height = 0;
  std::int64_t width = 0;
  std::int64_t channels = 0;
};

/// Draws the outline of the rectangle between two corners, which it contains, as OpenCV does: lines with discs at their
/// ends. Channels beyond the colour's become 0. What is outside of the image is left out.
void draw_rectangle(const Canvas& canvas, const std::array<std::int64_t, 4>& corners, const std::array<int, 3>& color,
                    int thickness);

}  // namespace rhyton::visualization
