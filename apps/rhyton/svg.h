#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rhyton::tool {

/// In pixels, with x to the right and y downwards.
struct Point {
  double x = 0;
  double y = 0;
};
struct Size {
  double width = 0;
  double height = 0;
};

/// The approximate width of a text in a sans-serif font of that size, rather too small than too large.
double text_width(std::string_view text, double font_size);

enum class Anchor { start, middle, end };

/// A picture composed of shapes, as SVG (https://www.w3.org/TR/SVG11/). Shapes have CSS classes; the style sheet given
/// to `document` defines their appearance.
class Svg {
 public:
  void rectangle(Point corner, Size size, std::string_view css_class, double radius = 0);
  /// `position` is the left end, the middle or the right end of the text's baseline.
  void text(Point position, std::string_view text, double font_size, std::string_view css_class,
            Anchor anchor = Anchor::start);
  void line(Point from, Point to, std::string_view css_class);
  void polyline(const std::vector<Point>& points, std::string_view css_class);
  /// A curve through all points, vertical at each of them.
  void curve(const std::vector<Point>& points, std::string_view css_class);
  void circle(Point center, double radius, std::string_view css_class);
  /// Inserts another picture with its upper left corner at `corner`.
  void picture(Point corner, const Svg& other);
  /// Shapes added until `end_group` form a group; viewers show `title` as a tooltip.
  void begin_group(std::string_view css_class, std::string_view title);
  void end_group();

  /// The whole file. `description` is its title; "url(#arrow)" refers to an arrow head.
  std::string document(Size size, std::string_view style, std::string_view description) const;

 private:
  std::string elements_;
};

}  // namespace rhyton::tool
