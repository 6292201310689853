#pragma once

#include <cstdint>
#include <vector>

#include <rhyton/layers/bounding_boxes/bounding_boxes.h>

namespace rhyton::utils::bounding_boxes {

/// The lengths of an image {height, width, channels}; none if the shape was not given, which is then empty. Throws
/// ValueError for a shape of another length.
ConvertFormatOptions lengths_of(const std::vector<std::int64_t>& image_shape);

}  // namespace rhyton::utils::bounding_boxes
