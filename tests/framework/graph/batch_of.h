#pragma once

#include <cstdint>

#include <rhyton/framework/graph/tracing.h>

namespace rhyton::graph {

/// An input of float32 with the batch on axis 0.
inline FunctionInput batch_of(const Shape& shape) { return {{shape, float32}, 0}; }
inline FunctionInput batch_of(std::int64_t samples, std::int64_t width) { return batch_of(Shape{samples, width}); }

}  // namespace rhyton::graph
