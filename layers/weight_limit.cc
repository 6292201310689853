#include <rhyton/layers/weight_limit.h>

#include <algorithm>
#include <string>

#include <rhyton/framework/error.h>

namespace rhyton::layers {
namespace {

thread_local WeightLimit* innermost = nullptr;

}  // namespace

WeightLimit::WeightLimit(std::uint64_t bytes) : limit_(bytes), outer_(innermost) { innermost = this; }

WeightLimit::~WeightLimit() { innermost = outer_; }

std::uint64_t WeightLimit::for_file(std::uint64_t bytes) {
  return bytes > UINT64_MAX / file_ratio ? UINT64_MAX : std::max(file_floor, bytes * file_ratio);
}

void WeightLimit::count(const Shape& shape, DType dtype, std::string_view path) {
  std::uint64_t bytes = size_of(dtype);
  for (const std::int64_t length : shape) {
    if (length < 0 || (length > 0 && bytes > static_cast<std::uint64_t>(INT64_MAX / length))) {
      throw ValueError("The weight '" + std::string(path) + "' cannot have the shape " + shape.to_string() + ".");
    }
    bytes *= static_cast<std::uint64_t>(length);
  }
  for (WeightLimit* limit = innermost; limit != nullptr; limit = limit->outer_) {
    if (bytes > limit->limit_ - limit->used_) {
      throw ResourceExhaustedError("The weight '" + std::string(path) + "' of shape " + shape.to_string() + " takes " +
                                   std::to_string(bytes) + " bytes: with it the weights go beyond their limit of " +
                                   std::to_string(limit->limit_) + " bytes.");
    }
    limit->used_ += bytes;
  }
}

}  // namespace rhyton::layers
