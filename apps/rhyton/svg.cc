#include <rhyton/apps/rhyton/svg.h>

#include <array>
#include <charconv>

#include <rhyton/apps/rhyton/messages.h>

namespace rhyton::tool {
namespace {

/// With at most two decimals, independent of the locale.
std::string number(double value) {
  std::array<char, 64> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::fixed, 2).ptr;
  std::string text(buffer.data(), end);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

std::string escaped(std::string_view text) {
  std::string result;
  for (const char character : one_line(text)) {
    switch (character) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += character;
    }
  }
  return result;
}

std::string attribute(std::string_view name, std::string_view value) {
  return " " + std::string(name) + "=\"" + std::string(value) + "\"";
}
std::string attribute(std::string_view name, double value) { return attribute(name, number(value)); }

std::string pair(Point point) { return number(point.x) + "," + number(point.y); }

}  // namespace

double text_width(std::string_view text, double font_size) {
  double width = 0;
  for (const char character : text) {
    const auto code = static_cast<unsigned char>(character);
    if ((code & 0xc0U) == 0x80) continue;  // within a character
    if (code >= 0x80 || std::string_view("mwMW@%").find(character) != std::string_view::npos) {
      width += 0.95;
    } else if (std::string_view("iljtfI.,:;'|()[] ").find(character) != std::string_view::npos) {
      width += 0.37;
    } else {
      width += character >= 'A' && character <= 'Z' ? 0.72 : 0.62;
    }
  }
  return width * font_size;
}

void Svg::rectangle(Point corner, Size size, std::string_view css_class, double radius) {
  elements_ += "<rect" + attribute("class", css_class) + attribute("x", corner.x) + attribute("y", corner.y) +
               attribute("width", size.width) + attribute("height", size.height) +
               (radius > 0 ? attribute("rx", radius) : "") + "/>\n";
}

void Svg::text(Point position, std::string_view text, double font_size, std::string_view css_class, Anchor anchor) {
  const std::string_view anchors[] = {"start", "middle", "end"};
  elements_ += "<text" + attribute("class", css_class) + attribute("x", position.x) + attribute("y", position.y) +
               attribute("font-size", font_size) + attribute("text-anchor", anchors[static_cast<int>(anchor)]) + ">" +
               escaped(text) + "</text>\n";
}

void Svg::line(Point from, Point to, std::string_view css_class) {
  elements_ += "<line" + attribute("class", css_class) + attribute("x1", from.x) + attribute("y1", from.y) +
               attribute("x2", to.x) + attribute("y2", to.y) + "/>\n";
}

void Svg::polyline(const std::vector<Point>& points, std::string_view css_class) {
  std::string list;
  for (const Point& point : points) list += (list.empty() ? "" : " ") + pair(point);
  elements_ += "<polyline" + attribute("class", css_class) + attribute("points", list) + "/>\n";
}

void Svg::curve(const std::vector<Point>& points, std::string_view css_class) {
  std::string path = "M" + pair(points.front());
  for (std::size_t i = 1; i < points.size(); ++i) {
    const Point& from = points[i - 1];
    const Point& to = points[i];
    const double middle = (from.y + to.y) / 2;
    path += " C" + pair({from.x, middle}) + " " + pair({to.x, middle}) + " " + pair(to);
  }
  elements_ += "<path" + attribute("class", css_class) + attribute("d", path) + "/>\n";
}

void Svg::circle(Point center, double radius, std::string_view css_class) {
  elements_ += "<circle" + attribute("class", css_class) + attribute("cx", center.x) + attribute("cy", center.y) +
               attribute("r", radius) + "/>\n";
}

void Svg::picture(Point corner, const Svg& other) {
  elements_ += "<g" + attribute("transform", "translate(" + pair(corner) + ")") + ">\n" + other.elements_ + "</g>\n";
}

void Svg::begin_group(std::string_view css_class, std::string_view title) {
  elements_ += "<g" + attribute("class", css_class) + "><title>" + escaped(title) + "</title>\n";
}

void Svg::end_group() { elements_ += "</g>\n"; }

std::string Svg::document(Size size, std::string_view style, std::string_view description) const {
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\"" +
         attribute("width", size.width) + attribute("height", size.height) +
         attribute("viewBox", "0 0 " + number(size.width) + " " + number(size.height)) + ">\n<title>" +
         escaped(description) + "</title>\n<defs><marker id=\"arrow\" viewBox=\"0 0 10 10\" refX=\"10\" refY=\"5\" " +
         "markerWidth=\"8\" markerHeight=\"8\" orient=\"auto\"><path d=\"M0,0 L10,5 L0,10 z\"/></marker></defs>\n" +
         "<style>\n" + std::string(style) + "</style>\n" + elements_ + "</svg>\n";
}

}  // namespace rhyton::tool
