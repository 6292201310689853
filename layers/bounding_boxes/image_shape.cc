#include <rhyton/layers/bounding_boxes/image_shape.h>

#include <string>

#include <rhyton/framework/error.h>

namespace rhyton::utils::bounding_boxes {

ConvertFormatOptions lengths_of(const std::vector<std::int64_t>& image_shape) {
  if (image_shape.empty()) return {};
  if (image_shape.size() != 3) {
    throw ValueError("`image_shape` must be {height, width, channels}. Received: a list of length " +
                     std::to_string(image_shape.size()));
  }
  return {.height = image_shape[0], .width = image_shape[1]};
}

}  // namespace rhyton::utils::bounding_boxes
