#include <rhyton/apps/rhyton/history_plot.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include <rhyton/apps/rhyton/svg.h>

namespace rhyton::tool {
namespace {

constexpr double chart_width = 640;
constexpr double chart_height = 320;
constexpr double left_margin = 84;
constexpr double right_margin = 24;
constexpr double top_margin = 44;
constexpr double bottom_margin = 48;
constexpr double title_size = 15;
constexpr double text_size = 12;
/// Values are drawn with dots up to this number of epochs.
constexpr std::size_t max_dots = 40;

constexpr std::string_view history_style =
    "text { font-family: Helvetica, Arial, 'DejaVu Sans', sans-serif; fill: #212121; }\n"
    ".background { fill: #ffffff; }\n"
    ".plot { fill: none; stroke: #616161; stroke-width: 1; }\n"
    ".grid { stroke: #e0e0e0; stroke-width: 1; }\n"
    ".title { font-weight: bold; }\n"
    ".training { fill: none; stroke: #1565c0; stroke-width: 2; }\n"
    ".training-dot { fill: #1565c0; }\n"
    ".validation { fill: none; stroke: #e65100; stroke-width: 2; }\n"
    ".validation-dot { fill: #e65100; }\n";

/// Values by epoch, one curve.
struct Curve {
  std::string name;
  std::vector<double> values;
  bool is_validation = false;

  std::string css_class() const { return is_validation ? "validation" : "training"; }
};

/// Curves of one chart: "loss" and "val_loss".
struct Chart {
  std::string name;
  std::vector<Curve> curves;
};

/// Whether a value is not NaN, not infinite and within the range of the computations.
bool can_be_drawn(double value) { return std::abs(value) < 1e300; }

std::vector<Chart> charts_of(const io::Json& history) {
  const auto refuse = [](const std::string& what) {
    throw ValueError("a history is an object of lists of numbers, one per epoch, but " + what);
  };
  if (!history.is_object() || history.empty()) refuse("this is none or has none");
  std::vector<Chart> charts;
  for (const auto& [key, values] : history.items()) {
    if (!values.is_array() || values.empty()) refuse("\"" + key + "\" is none");
    Curve curve{.name = key, .values = {}, .is_validation = key.starts_with("val_")};
    for (const io::Json& value : values) {
      if (!value.is_number()) refuse("\"" + key + "\" holds something else");
      curve.values.push_back(value.as_double());
    }
    const std::string name = curve.is_validation ? key.substr(4) : key;
    auto chart = std::find_if(charts.begin(), charts.end(), [&](const Chart& other) { return other.name == name; });
    if (chart == charts.end()) chart = charts.insert(charts.end(), {.name = name, .curves = {}});
    // Training before validation.
    chart->curves.insert(curve.is_validation ? chart->curves.end() : chart->curves.begin(), std::move(curve));
  }
  // The loss first; the others in their order.
  std::stable_partition(charts.begin(), charts.end(), [](const Chart& chart) { return chart.name == "loss"; });
  return charts;
}

/// A range of numbers, and readable tick values in it.
struct Axis {
  double low = 0;
  double high = 1;
  double step = 1;

  std::vector<double> ticks() const {
    std::vector<double> values;
    const double first = std::ceil(low / step - 1e-9);
    const double last = std::floor(high / step + 1e-9);
    for (double i = first; i <= last && values.size() < 100; ++i) values.push_back(i * step);
    return values;
  }
};

/// 1, 2 or 5 times a power of ten, for about five ticks.
double nice_step(double range) {
  const double rough = range / 5;
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (rough <= factor * power * 1.0001) return factor * power;
  }
  return 10 * power;
}

Axis value_axis(const Chart& chart) {
  bool any = false;
  Axis axis{.low = 0, .high = 0};
  for (const Curve& curve : chart.curves) {
    for (const double value : curve.values) {
      if (!can_be_drawn(value)) continue;
      axis.low = any ? std::min(axis.low, value) : value;
      axis.high = any ? std::max(axis.high, value) : value;
      any = true;
    }
  }
  double range = axis.high - axis.low;
  const double smallest = std::max({std::abs(axis.low), std::abs(axis.high), 1e-300}) * 1e-6;
  if (range < smallest) range = std::max(std::abs(axis.low), 1e-3) * 0.1;
  const double space = (range - (axis.high - axis.low)) / 2 + range * 0.05;
  axis.low -= space;
  axis.high += space;
  axis.step = nice_step(axis.high - axis.low);
  return axis;
}

Axis epoch_axis(const Chart& chart) {
  std::size_t epochs = 1;
  for (const Curve& curve : chart.curves) epochs = std::max(epochs, curve.values.size());
  const double space = epochs == 1 ? 0.5 : 0.02 * static_cast<double>(epochs - 1);
  const double last = static_cast<double>(epochs);
  return {.low = 1 - space, .high = last + space, .step = std::max(1.0, nice_step(std::max(1.0, last - 1)))};
}

/// With enough digits to distinguish neighbouring ticks.
std::string tick_text(double value, double step) {
  if (std::abs(value) < step * 1e-6) value = 0;
  const double largest = std::max(std::abs(value), step);
  std::array<char, 64> buffer{};
  char* const end = buffer.data() + buffer.size();
  if (largest >= 1e6 || step < 1e-6) {
    return {buffer.data(), std::to_chars(buffer.data(), end, value, std::chars_format::general, 4).ptr};
  }
  const int digits = std::max(0, static_cast<int>(-std::floor(std::log10(step) + 1e-9)));
  return {buffer.data(), std::to_chars(buffer.data(), end, value, std::chars_format::fixed, digits).ptr};
}

class ChartPlot {
 public:
  explicit ChartPlot(const Chart& chart) : chart_(chart), x_(epoch_axis(chart)), y_(value_axis(chart)) {}

  Svg draw() {
    svg_.text({left_margin, top_margin - 16}, chart_.name, title_size, "title");
    draw_axes();
    for (const Curve& curve : chart_.curves) draw_curve(curve);
    draw_legend();
    return std::move(svg_);
  }

 private:
  static constexpr double right = chart_width - right_margin;
  static constexpr double bottom = chart_height - bottom_margin;

  double x_of(double epoch) const {
    return left_margin + (epoch - x_.low) / (x_.high - x_.low) * (right - left_margin);
  }
  double y_of(double value) const { return bottom - (value - y_.low) / (y_.high - y_.low) * (bottom - top_margin); }

  void draw_axes() {
    for (const double tick : y_.ticks()) {
      svg_.line({left_margin, y_of(tick)}, {right, y_of(tick)}, "grid");
      svg_.text({left_margin - 8, y_of(tick) + 4}, tick_text(tick, y_.step), text_size, "tick", Anchor::end);
    }
    for (const double tick : x_.ticks()) {
      if (tick < 1) continue;
      svg_.line({x_of(tick), top_margin}, {x_of(tick), bottom}, "grid");
      svg_.text({x_of(tick), bottom + 18}, tick_text(tick, x_.step), text_size, "tick", Anchor::middle);
    }
    svg_.rectangle({left_margin, top_margin}, {right - left_margin, bottom - top_margin}, "plot");
    svg_.text({(left_margin + right) / 2, bottom + 38}, "epoch", text_size, "label", Anchor::middle);
  }

  /// Values that cannot be drawn leave gaps.
  void draw_curve(const Curve& curve) {
    svg_.begin_group("curve", curve.name);
    std::vector<Point> points;
    const auto draw_part = [&] {
      if (points.size() > 1) svg_.polyline(points, curve.css_class());
      for (const Point& point : points) {
        if (curve.values.size() <= max_dots || points.size() == 1) svg_.circle(point, 3, curve.css_class() + "-dot");
      }
      points.clear();
    };
    for (std::size_t i = 0; i < curve.values.size(); ++i) {
      if (can_be_drawn(curve.values[i])) {
        points.push_back({x_of(static_cast<double>(i + 1)), y_of(curve.values[i])});
      } else {
        draw_part();
      }
    }
    draw_part();
    svg_.end_group();
  }

  /// Above the chart, right-aligned.
  void draw_legend() {
    double end = right;
    for (auto curve = chart_.curves.rbegin(); curve != chart_.curves.rend(); ++curve) {
      svg_.text({end, top_margin - 16}, curve->name, text_size, "legend", Anchor::end);
      end -= text_width(curve->name, text_size) + 8;
      svg_.line({end - 24, top_margin - 20}, {end, top_margin - 20}, curve->css_class());
      end -= 24 + 20;
    }
  }

  const Chart& chart_;
  Axis x_;
  Axis y_;
  Svg svg_;
};

}  // namespace

std::string plot_history(const io::Json& history) {
  const std::vector<Chart> charts = charts_of(history);
  const Size size{chart_width, chart_height * static_cast<double>(charts.size())};
  Svg svg;
  svg.rectangle({0, 0}, size, "background");
  for (std::size_t i = 0; i < charts.size(); ++i) {
    svg.picture({0, chart_height * static_cast<double>(i)}, ChartPlot(charts[i]).draw());
  }
  return svg.document(size, history_style, "history");
}

}  // namespace rhyton::tool
