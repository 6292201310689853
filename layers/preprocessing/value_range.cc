#include <rhyton/layers/preprocessing/value_range.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/clip.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/serialization/config_form.h>

namespace rhyton::layers {

ValueRange ValueRange::sorted() const { return {std::min(low, high), std::max(low, high)}; }

io::Json ValueRange::to_config() const { return io::Json::array({python_number(low), python_number(high)}); }

ValueRange ValueRange::from_config(const char* key, const io::Json& config) {
  if (!config.is_array() || config.size() != 2 || !config.begin()->is_number() || !(config.begin() + 1)->is_number()) {
    throw ValueError("The `" + std::string(key) + "` argument should be a list of two numbers. Received: " + key + "=" +
                     config.dump());
  }
  return {config.begin()->as_double(), (config.begin() + 1)->as_double()};
}

Scalar number_for(DType dtype, double value) {
  if (is_floating(dtype)) return value;
  if (value != std::trunc(value) || !Scalar(value).fits(DType::int64)) {
    throw ValueError("The number " + io::Json(value).dump() + " cannot be converted to dtype " +
                     std::string(name_of(dtype)) + ".");
  }
  return static_cast<std::int64_t>(value);
}

Tensor clip_to(const Tensor& images, const ValueRange& range) {
  return clip(images, number_for(images.dtype(), range.low), number_for(images.dtype(), range.high));
}

Tensor transform_value_range(const Tensor& images, const ValueRange& from, const ValueRange& to, DType dtype) {
  if (from == to) return images;
  const Tensor fraction = (cast(images, dtype) - from.low) / from.length();
  return fraction * to.length() + to.low;
}

}  // namespace rhyton::layers
