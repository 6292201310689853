#include <rhyton/models/visualization/rectangle.h>

#include <algorithm>
#include <cstddef>

namespace rhyton::visualization {
namespace {

class Brush {
 public:
  Brush(const Canvas& canvas, const std::array<int, 3>& color) : canvas_(canvas), color_(color) {}

  /// The pixels from (left, top) to (right, bottom), both included.
  void fill(std::int64_t left, std::int64_t top, std::int64_t right, std::int64_t bottom) const {
    for (std::int64_t y = std::max<std::int64_t>(top, 0); y <= std::min(bottom, canvas_.height - 1); ++y) {
      for (std::int64_t x = std::max<std::int64_t>(left, 0); x <= std::min(right, canvas_.width - 1); ++x) set(x, y);
    }
  }

  /// A disc, by the midpoint algorithm.
  void disc(std::int64_t x, std::int64_t y, std::int64_t radius) const {
    std::int64_t error = 0;
    std::int64_t wide = radius;
    std::int64_t plus = 1;
    std::int64_t minus = 2 * radius - 1;
    for (std::int64_t high = 0; wide >= high; ++high) {
      for (const std::int64_t row : {y - high, y + high}) fill(x - wide, row, x + wide, row);
      for (const std::int64_t row : {y - wide, y + wide}) fill(x - high, row, x + high, row);
      error += plus;
      plus += 2;
      if (error <= 0) continue;
      error -= minus;
      minus -= 2;
      --wide;
    }
  }

 private:
  void set(std::int64_t x, std::int64_t y) const {
    for (std::int64_t channel = 0; channel < canvas_.channels; ++channel) {
      const bool has_color = channel < static_cast<std::int64_t>(color_.size());
      canvas_.pixels[static_cast<std::size_t>((y * canvas_.width + x) * canvas_.channels + channel)] =
          has_color ? static_cast<std::uint8_t>(color_[static_cast<std::size_t>(channel)]) : std::uint8_t{0};
    }
  }

  Canvas canvas_;
  std::array<int, 3> color_;
};

}  // namespace

void draw_rectangle(const Canvas& canvas, const std::array<std::int64_t, 4>& corners, const std::array<int, 3>& color,
                    int thickness) {
  const Brush brush(canvas, color);
  const auto [left, right] = std::minmax(corners[0], corners[2]);
  const auto [top, bottom] = std::minmax(corners[1], corners[3]);
  const std::int64_t radius = thickness == 1 ? 0 : (thickness + 1) / 2;
  brush.fill(left, top - radius, right, top + radius);
  brush.fill(left, bottom - radius, right, bottom + radius);
  brush.fill(left - radius, top, left + radius, bottom);
  brush.fill(right - radius, top, right + radius, bottom);
  if (radius == 0) return;
  for (const std::int64_t x : {left, right}) {
    for (const std::int64_t y : {top, bottom}) brush.disc(x, y, radius);
  }
}

}  // namespace rhyton::visualization
