#include <rhyton/layers/attention/output_shape.h>

#include <utility>

namespace rhyton::layers {

OutputShape::OutputShape(std::int64_t length) {
  if (length == 0) {
    config_ = length;
    return;
  }
  *this = OutputShape(std::vector<std::int64_t>{length});
}

OutputShape::OutputShape(std::vector<std::int64_t> lengths)
    : lengths_(std::move(lengths)), config_(io::Json::array_from(lengths_)) {}

OutputShape OutputShape::from_config(const io::Json& config) {
  if (!config.is_array()) return config.as_int();
  std::vector<std::int64_t> lengths;
  for (const io::Json& length : config) lengths.push_back(length.as_int());
  return lengths;
}

}  // namespace rhyton::layers
