#pragma once

#include <string>

#include <rhyton/framework/tensor/tensor.h>

namespace rhyton {
inline namespace ops {
namespace image {

/// Whether the channels are the first axis of an image: of "channels_last", "channels_first", or empty for
/// `config::image_data_format()`. Throws ValueError in Keras's words for anything else.
bool has_channels_first(const std::string& data_format);

/// Throws ValueError in Keras's words unless `images` are an image, of rank 3, or a batch of images.
void require_images(const Tensor& images);

/// One image or several, of any number of spatial axes, as a batch with the channels last, and back.
class ImageBatch {
 public:
  /// `rank` is that of a batch; `images` have it, or one less.
  ImageBatch(const Tensor& images, const std::string& data_format, int rank = 4);

  /// [batch, height, width, channels]
  const Tensor& images() const { return images_; }
  /// A result of that form in the form of the images that were given.
  Tensor restored(const Tensor& result) const;

 private:
  bool is_single_;
  bool channels_first_;
  Tensor images_;
};

}  // namespace image
}  // namespace ops
}  // namespace rhyton
