#include <rhyton/layers/layer_config.h>

#include <rhyton/framework/error.h>

namespace rhyton::layers {

io::Json shape_to_json(const Shape& shape) {
  io::Json result = io::Json::array();
  for (const std::int64_t length : shape) result.push_back(length < 0 ? io::Json() : io::Json(length));
  return result;
}

Shape shape_from_json(const io::Json& json) {
  if (!json.is_array()) throw ValueError("Expected a shape as a list of lengths. Received: " + json.dump());
  Shape shape;
  for (const io::Json& length : json) {
    if (!length.is_null() && !length.is_int()) {
      throw ValueError("Expected a shape as a list of lengths. Received: " + json.dump());
    }
    shape.push_back(length.is_null() ? -1 : length.as_int());
  }
  return shape;
}

}  // namespace rhyton::layers
