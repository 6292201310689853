#pragma once

#include <string>

#include <rhyton/framework/error.h>
#include <rhyton/framework/tensor/shape.h>
#include <rhyton/layers/argument.h>

// What the rows of keras.ops.image share.

namespace rhyton::layers {

/// As Python prints a list: "[None, 4, 4, 2]".
inline std::string list_text(const Shape& shape) {
  std::string listed;
  for (const std::int64_t length : shape) listed += (listed.empty() ? "" : ", ") + length_to_string(length);
  return "[" + listed + "]";
}

/// Throws ValueError in Keras's words unless the shape is that of an image or of a batch. `received` is the rest of the
/// message.
inline void require_image_rank(const Shape& shape, const std::string& received) {
  if (shape.rank() != 3 && shape.rank() != 4)
    throw ValueError("Invalid images rank: expected rank 3 (single image) or rank 4 (batch of images). " + received);
}

/// None for an empty name.
inline Argument format_or_none(const std::string& data_format) {
  return data_format.empty() ? Argument() : Argument(data_format);
}

}  // namespace rhyton::layers
