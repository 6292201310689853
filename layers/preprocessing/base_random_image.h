#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <rhyton/framework/tensor/tensor.h>
#include <rhyton/framework/tensor/variable.h>
#include <rhyton/layers/preprocessing/base_image_preprocessing.h>
#include <rhyton/layers/preprocessing/factor.h>

namespace rhyton::layers {

/// The random numbers of one training call on a batch of images. Each call of a member draws other numbers. Those of
/// an image depend on its position in the whole batch: slices, replicas and threads draw what one device draws.
class ImageNumbers {
 public:
  /// For images [batch, …]. `state` counts the draws and has to outlive this.
  ImageNumbers(const Tensor& images, const Variable& state);

  /// Numbers in [minval, maxval) for each image, [batch, lengths…], in float32 or the given floating dtype. Equal limits
  /// give this number.
  Tensor uniform(double minval, double maxval, const std::vector<std::int64_t>& lengths = {},
                 DType dtype = DType::float32);
  /// Numbers of the normal distribution with mean 0 and deviation 1, likewise.
  Tensor normal(const std::vector<std::int64_t>& lengths = {}, DType dtype = DType::float32);
  /// Whether an image is changed, bool [batch], if the probability of each image is drawn from this range.
  Tensor chosen(const FactorRange& probabilities);
  /// One number, [], for all images.
  Tensor shared_uniform(double minval, double maxval, DType dtype = DType::float32);
  /// Makes the next calls draw the same numbers again that the calls until now drew.
  void repeat() { next_ = 0; }

 private:
  /// The number of the next draw.
  Tensor next_draw();
  /// A tensor of the shape [batch, lengths…] that carries the batch; its values mean nothing.
  Tensor like(const std::vector<std::int64_t>& lengths, DType dtype) const;

  /// [batch], float32.
  Tensor samples_;
  std::int64_t first_sample_;
  const Variable& state_;
  /// The numbers of the draws until now, and the place of the next one.
  std::vector<Tensor> draws_;
  std::size_t next_ = 0;
};

/// What layers share that change images at random during training and else return them, in the compute dtype.
class RandomImageImpl : public ImagePreprocessingImpl {
 public:
  /// `class_name` is Keras's name of the class, the formats are as for ImagePreprocessingImpl; without a seed,
  /// `set_random_seed` determines the random state.
  RandomImageImpl(std::string class_name, const LayerOptions& options, const std::string& data_format,
                  const std::string& bounding_box_format, const std::optional<std::int64_t>& seed);
  /// With these members of the options of a layer class.
  template <class Options>
  RandomImageImpl(std::string class_name, const Options& options)
      : RandomImageImpl(std::move(class_name), base_options(options), options.data_format, options.bounding_box_format,
                        options.seed) {}

  std::string class_name() const final { return class_name_; }

  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool training) override;
  LabelledImages transformed(const LabelledImages& data, bool training) override;

  /// The images of a training call: [batch, height, width, channels], or "channels_first", in the compute dtype, and of
  /// the same shape and dtype as the result. Layers that consist of others call it with numbers of their own.
  virtual Tensor augmented(const Tensor& images, ImageNumbers& numbers) const = 0;
  /// The boxes that belong to such images of this shape, and masks, given numbers that repeat those of the images. By
  /// default they stay as they are.
  virtual LabelledBoxes augmented_boxes(const LabelledBoxes& boxes, const Shape& images, ImageNumbers& numbers) const;
  virtual Tensor augmented_masks(const Tensor& masks, const Shape& images, ImageNumbers& numbers) const;

 protected:
  /// The images as `augmented` takes them.
  virtual Tensor prepared(const Tensor& images) const { return to_compute_dtype(images); }
  /// The result of a training call on one image or a batch.
  Tensor augmented_input(const Tensor& images) const;

  /// The random state: the number of draws, starting from a number derived from the seed.
  const Variable& state() const { return state_; }

 private:
  /// Before the state, whose path has the layer's name, which is made from it.
  std::string class_name_;
  Variable state_;
};

/// Throws ValueError unless the argument `value_range` has two numbers.
void require_value_range(const std::vector<double>& range);

/// One number for each image, [batch], in the form in which it applies to its boxes, [batch, 1, 1].
Tensor of_boxes(const Tensor& numbers);

/// Where `chosen`, bool [batch], is true, the image of the first tensor [batch, h, w, c], else that of the second.
Tensor where_image(const Tensor& chosen, const Tensor& images, const Tensor& others);

}  // namespace rhyton::layers
