#include <rhyton/layers/axes.h>

#include <algorithm>
#include <cstdint>
#include <limits>

#include <rhyton/framework/error.h>

namespace rhyton::layers {

namespace {

int axis_from(const io::Json& json) {
  const std::int64_t axis = json.as_int();
  if (axis < std::numeric_limits<int>::min() || axis > std::numeric_limits<int>::max()) {
    throw ValueError("Axis " + std::to_string(axis) + " is out of bounds for any input.");
  }
  return static_cast<int>(axis);
}

}  // namespace

Axes Axes::from_config(const io::Json& config) {
  if (!config.is_array()) return axis_from(config);
  std::vector<int> values;
  for (const io::Json& axis : config) values.push_back(axis_from(axis));
  return values;
}

void Axes::require_some(const std::string& layer_name) const {
  if (!values_.empty()) return;
  throw ValueError("The `axis` argument of layer '" + layer_name +
                   "' must be an integer or a list of at least one. Received: axis=[]");
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
    const int from_front = normalize_axis(axis, shape.rank());
    if (std::find(result.begin(), result.end(), from_front) != result.end()) {
      throw ValueError("Axes contain duplicate dimension " + std::to_string(from_front) + " of input shape " +
                       shape.to_string() + ". Received: axis=" + to_config().dump());
    }
    result.push_back(from_front);
  }
  return result;
}

std::vector<int> Axes::of(const Shape& shape) const {
  std::vector<int> result = in_order_of(shape);
  std::sort(result.begin(), result.end());
  return result;
}

}  // namespace rhyton::layers
