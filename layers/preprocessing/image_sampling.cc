#include <rhyton/layers/preprocessing/image_sampling.h>

#include <algorithm>
#include <vector>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/image/geometric_transforms.h>
#include <rhyton/framework/ops/shaping.h>

namespace rhyton::layers {
namespace {

Tensor column(const Tensor& numbers) { return expand_dims(cast(numbers, DType::float32), 1); }

}  // namespace

void require_interpolation(const std::string& interpolation) {
  if (interpolation == "nearest" || interpolation == "bilinear") return;
  throw NotImplementedError("Unknown `interpolation` " + interpolation + ". Expected of one ('nearest', 'bilinear').");
}

void ImageSampling::require_known() const {
  constexpr std::array<const char*, 4> modes = {"reflect", "wrap", "constant", "nearest"};
  if (std::none_of(modes.begin(), modes.end(), [&](const char* mode) { return fill_mode == mode; })) {
    throw NotImplementedError("Unknown `fill_mode` " + fill_mode +
                              ". Expected of one ('reflect', 'wrap', 'constant', 'nearest').");
  }
  require_interpolation(interpolation);
}

ImageSampling ImageSampling::nearest() const {
  ImageSampling result = *this;
  result.interpolation = "nearest";
  return result;
}

Tensor ImageSampling::transformed(const Tensor& images, const std::array<Tensor, 6>& numbers) const {
  std::vector<Tensor> columns;
  for (const Tensor& number : numbers) columns.push_back(column(number));
  // Of c0 and c1, which give images a perspective.
  const Tensor zero = zeros_like(columns.front());
  columns.insert(columns.end(), 2, zero);
  return image::affine_transform(
      images, concatenate(columns, 1),
      {.interpolation = interpolation, .fill_mode = fill_mode, .fill_value = fill_value, .data_format = data_format});
}

}  // namespace rhyton::layers
