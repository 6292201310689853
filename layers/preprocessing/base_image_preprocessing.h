#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <rhyton/layers/image_layout.h>
#include <rhyton/layers/layer.h>

namespace rhyton::layers {

/// What layers share that take one tensor of images: [height, width, channels] or a batch of them, [batch, height,
/// width, channels], with the channels before the height for "channels_first" (Keras's `BaseImagePreprocessingLayer`).
class ImagePreprocessingImpl : public LayerImpl {
 public:
  /// `data_format` as for ImageLayout. Throws ValueError in Keras's words for an unknown one.
  ImagePreprocessingImpl(const LayerOptions& options, const std::string& data_format);

  /// Throws ValueError in Keras's words for images of another rank, and for more tensors than one.
  void check_inputs(const std::vector<Shape>& inputs) const override;
  std::vector<std::string> call_parameters() const override { return {"data"}; }
  /// Throws NotImplementedError for a dictionary: images with labels, masks or bounding boxes.
  Argument arrange_inputs(Argument inputs) const override;

 protected:
  std::string data_format() const { return layout_.to_string(); }
  /// The axis of the height, counted from the front; that of the width is the next one.
  int height_axis(const Shape& images) const { return images.rank() - (layout_.channels_first() ? 2 : 3); }
  /// Throws InvalidArgumentError for images without a pixel, which cannot be resized. Unknown lengths pass.
  void require_pixels(const Shape& images) const;
  /// A tensor of the dtype of `images` and of these lengths, whose values mean nothing: for the inference of shapes.
  Tensor stand_in(const Tensor& images, std::int64_t height, std::int64_t width) const;

 private:
  ImageLayout layout_;
};

}  // namespace rhyton::layers
