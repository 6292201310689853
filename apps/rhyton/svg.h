#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rhyton::tool {

/// Pixels, x to the right and y downwards.
struct Point {
  double x = 0;
  double y = 0;
};
struct Size {
  double width = 0;
  double height = 0;
};

/// The width that a text takes in a sans-serif font of that size, or somewhat less.
double text_width(std::string_view text, double font_size);

enum class Anchor { start, middle, end };

/// A picture that is put together from shapes, as SVG (https://www.w3.org/TR/SVG11/). Classes give shapes their looks;
/// what they look like says the style sheet that `document` is given.
class Svg {
 public:
  void rectangle(Point corner, Size size, std::string_view css_class, double radius = 0);
  /// `position` is the left end, the middle or the right end of the text's base line.
  void text(Point position, std::string_view text, double font_size, std::string_view css_class,
            Anchor anchor = Anchor::start);
  void line(Point from, Point to, std::string_view css_class);
  void polyline(const std::vector<Point>& points, std::string_view css_class);
  /// Through all points, at each of them going straight down or up.
  void curve(const std::vector<Point>& points, std::string_view css_class);
  void circle(Point center, double radius, std::string_view css_class);
  /// Everything of another picture, its corner at `corner`.
  void picture(Point corner, const Svg& other);
  /// What is added up to `end_group` belongs together; programs show `title` as a hint.
  void begin_group(std::string_view css_class, std::string_view title);
  void end_group();

  /// The whole file. `description` is its title; an arrow head is there as "url(#arrow)".
  std::string document(Size size, std::string_view style, std::string_view description) const;

 private:
  std::string elements_;
};

}  // namespace rhyton::tool
