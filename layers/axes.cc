#include <rhyton/layers/axes.h>

#include <algorithm>

#include <rhyton/framework/error.h>

namespace rhyton::layers {

Axes Axes::from_config(const io::Json& config) {
  if (!config.is_array()) return static_cast<int>(config.as_int());
  std::vector<int> values;
  for (const io::Json& axis : config) values.push_back(static_cast<int>(axis.as_int()));
  return values;
}

Axes Axes::sorted_as_written() const {
  Axes result = *this;
  std::sort(result.values_.begin(), result.values_.end());
  return result;
}

std::vector<int> Axes::in_order_of(const Shape& shape) const {
  std::vector<int> result;
  for (const int axis : values_) {
    if (axis >= shape.rank() || axis < -shape.rank()) {
      throw ValueError("Axis " + std::to_string(axis) + " is out of bounds for input shape " + shape.to_string() +
                       ". Received: axis=" + to_config().dump());
    }
    result.push_back(normalize_axis(axis, shape.rank()));
  }
  return result;
}

std::vector<int> Axes::of(const Shape& shape) const {
  std::vector<int> result = in_order_of(shape);
  std::sort(result.begin(), result.end());
  return result;
}

}  // namespace rhyton::layers
