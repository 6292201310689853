#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <rhyton/layers/image_layout.h>
#include <rhyton/layers/layer.h>
#include <rhyton/layers/layer_config.h>
#include <rhyton/layers/preprocessing/labelled_images.h>

namespace rhyton::layers {

/// What layers share that take one tensor of images: [height, width, channels] or a batch of them, [batch, height,
/// width, channels], with the channels before the height for "channels_first" (Keras's `BaseImagePreprocessingLayer`).
/// They also take a dictionary of images and what belongs to them, see `LabelledImages`, and return one.
class ImagePreprocessingImpl : public LayerImpl {
 public:
  using LabelledBoxes = utils::bounding_boxes::LabelledBoxes;

  /// `data_format` as for ImageLayout. Throws ValueError in Keras's words for an unknown one. `bounding_box_format` is a
  /// format of `utils::bounding_boxes::convert_format`, or empty.
  ImagePreprocessingImpl(const LayerOptions& options, const std::string& data_format, std::string bounding_box_format);
  /// With these members of the options of a layer class.
  template <class Options>
  requires requires(const Options& options) { options.bounding_box_format; }
  explicit ImagePreprocessingImpl(const Options& options)
      : ImagePreprocessingImpl(base_options(options), options.data_format, options.bounding_box_format) {}

  /// Throws ValueError in Keras's words for images of another rank, and for more tensors than one in a list. The shapes
  /// of a dictionary are checked by `arrange_inputs`.
  void check_inputs(const std::vector<Shape>& inputs) const final;
  std::vector<std::string> call_parameters() const override { return {"data"}; }
  /// Throws ValueError for a dictionary without images, or with boxes of another form.
  Argument arrange_inputs(Argument inputs) const override;
  /// `call`, and `transformed` for a dictionary.
  std::vector<Tensor> call_with(const BoundArguments& arguments, bool training) override;

  /// What a call makes of a batch of images and what belongs to them. By default `call` makes the images, and the
  /// following members the rest.
  virtual LabelledImages transformed(const LabelledImages& data, bool training);

 protected:
  /// Further checks of images of this shape, an image or a batch, before a call.
  virtual void check_images(const Shape& /*images*/) const {}
  /// Throws NotImplementedError for parts that the layer does not implement in Keras.
  virtual void check_parts(const LabelledImages& /*data*/, bool /*training*/) const {}
  /// The boxes and masks that belong to images of this shape, [batch, …].
  virtual LabelledBoxes transformed_boxes(const LabelledBoxes& boxes, const Shape& /*images*/) { return boxes; }
  virtual Tensor transformed_masks(const Tensor& masks, bool /*training*/) { return masks; }

  std::string data_format() const { return layout_.to_string(); }
  const std::string& bounding_box_format() const { return bounding_box_format_; }
  /// The axis of the height, counted from the front; that of the width is the next one.
  int height_axis(const Shape& images) const { return images.rank() - (layout_.channels_first() ? 2 : 3); }
  /// The lengths of images of this shape, for conversions of boxes to this dtype.
  utils::bounding_boxes::ConvertFormatOptions lengths_of(const Shape& images, DType dtype = DType::float32) const;
  /// Throws InvalidArgumentError for images without a pixel, which cannot be resized. Unknown lengths pass.
  void require_pixels(const Shape& images) const;
  /// A tensor of the dtype of `images` and of these lengths, whose values mean nothing: for the inference of shapes.
  Tensor stand_in(const Tensor& images, std::int64_t height, std::int64_t width) const;
  /// Throws NotImplementedError: the layer does not implement this method of Keras's base class.
  [[noreturn]] void refuse_part(const char* method) const;
  /// "Layer 'flip' of class RandomFlip"
  std::string described() const { return "Layer '" + name() + "' of class " + class_name(); }

 private:
  void check_shape(const Shape& images) const;

  ImageLayout layout_;
  std::string bounding_box_format_;
};

}  // namespace rhyton::layers
