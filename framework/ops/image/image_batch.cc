#include <rhyton/framework/ops/image/image_batch.h>

#include <rhyton/framework/context.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/rearranging.h>
#include <rhyton/framework/ops/shaping.h>

namespace rhyton {
inline namespace ops {
namespace image {

bool has_channels_first(const std::string& data_format) {
  const std::string format = data_format.empty() ? context().image_data_format() : data_format;
  if (format != "channels_first" && format != "channels_last") {
    throw ValueError(
        "The `data_format` argument must be one of {'channels_first', 'channels_last'}. Received: data_format=" +
        format);
  }
  return format == "channels_first";
}

void require_images(const Tensor& images) {
  if (images.rank() == 3 || images.rank() == 4) return;
  throw ValueError(
      "Invalid images rank: expected rank 3 (single image) or rank 4 (batch of images). Received input with shape: "
      "images.shape=" +
      images.shape().to_string());
}

ImageBatch::ImageBatch(const Tensor& images, const std::string& data_format, int rank)
    : is_single_(images.rank() == rank - 1),
      channels_first_(has_channels_first(data_format)),
      images_(is_single_ ? expand_dims(images, 0) : images) {
  if (channels_first_) images_ = moveaxis(images_, 1, -1);
}

Tensor ImageBatch::restored(const Tensor& result) const {
  const Tensor ordered = channels_first_ ? moveaxis(result, -1, 1) : result;
  return is_single_ ? squeeze(ordered, {0}) : ordered;
}

}  // namespace image
}  // namespace ops
}  // namespace rhyton
