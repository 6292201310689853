#include <rhyton/applications/base_mobilenet.h>

#include <algorithm>

#include <fmt/format.h>

#include <rhyton/framework/io/json/json.h>
#include <rhyton/framework/warning.h>
#include <rhyton/layers/image_layout.h>

namespace rhyton::applications {
namespace {

constexpr std::int64_t usual_size = 224;

/// The height of square images for which there are weights, else 0.
std::int64_t pretrained_size(const Shape& shape, const std::vector<std::int64_t>& sizes) {
  const int rows = layers::ImageLayout().channels_first() ? 1 : 0;
  if (shape.rank() != 3 || shape[rows] != shape[rows + 1]) return 0;
  return std::find(sizes.begin(), sizes.end(), shape[rows]) == sizes.end() ? 0 : shape[rows];
}

/// "[96, 128]"
std::string size_list(const std::vector<std::int64_t>& sizes) { return io::Json::array_from(sizes).dump(); }

}  // namespace

Shape mobilenet_input_shape(const ApplicationOptions& options, const std::vector<std::int64_t>& pretrained_sizes,
                            const Shape& hint) {
  const std::int64_t size = pretrained_size(hint, pretrained_sizes);
  return input_shape_of(options, {.default_size = size == 0 ? usual_size : size, .min_size = 32});
}

std::string mobilenet_size(const Shape& input_shape, const std::vector<std::int64_t>& pretrained_sizes,
                           bool is_pretrained) {
  if (is_pretrained && pretrained_size(input_shape, pretrained_sizes) == 0) {
    warn("`input_shape` is undefined or non-square, or `rows` is not in " + size_list(pretrained_sizes) +
         ". Weights for input shape (224, 224) will be loaded as the default.");
    return std::to_string(usual_size);
  }
  return length_to_string(input_shape[layers::ImageLayout().channels_first() ? 1 : 0]);
}

bool is_one_of(double value, std::initializer_list<double> values) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

std::string python_float(double value) { return io::Json(value).dump(); }

std::string two_decimals(double value) { return fmt::format("{:.2f}", value); }

}  // namespace rhyton::applications
