#pragma once

#include <cstdint>

#include <rhyton/framework/tensor/shape.h>

namespace rhyton::layers {

/// The shape of one step of sequences: [batch, steps, ...] -> [batch, ...].
inline Shape step_shape(const Shape& sequences) {
  return Shape({sequences[0]}).concatenate(sequences.slice(2, sequences.rank()));
}

/// The shape of as many steps: [batch, ...] -> [batch, steps, ...].
inline Shape with_steps(const Shape& step, std::int64_t steps) {
  return Shape({step[0], steps}).concatenate(step.slice(1, step.rank()));
}

}  // namespace rhyton::layers
