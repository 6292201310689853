#pragma once

#include <cstdint>
#include <string>

#include <rhyton/framework/tensor/shape.h>

namespace rhyton::cpu {

/// "2,5": the indices of element `number` in a tensor of that shape, for messages.
inline std::string place_of(std::int64_t number, const Shape& shape) {
  std::string text;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    text = std::to_string(number % shape[axis]) + (text.empty() ? "" : ",") + text;
    number /= shape[axis];
  }
  return text;
}

}  // namespace rhyton::cpu
