#pragma once

#include <array>
#include <string>
#include <utility>

#include <rhyton/layers/preprocessing/base_random_image.h>
#include <rhyton/layers/preprocessing/image_sampling.h>

namespace rhyton::layers {

/// What layers share that move the pixels of images by random affine transforms, and those of masks likewise.
class RandomAffineImpl : public RandomImageImpl {
 public:
  template <class Options>
  RandomAffineImpl(std::string class_name, const Options& options)
      : RandomImageImpl(std::move(class_name), options),
        sampling_{.interpolation = options.interpolation,
                  .fill_mode = options.fill_mode,
                  .fill_value = options.fill_value,
                  .data_format = data_format()} {}

  Tensor augmented(const Tensor& images, ImageNumbers& numbers) const final;
  Tensor augmented_masks(const Tensor& masks, const Shape& images, ImageNumbers& numbers) const final;

 protected:
  /// The numbers a0, a1, a2, b0, b1, b2 of each image of this shape, each [batch].
  virtual std::array<Tensor, 6> transform(const Shape& images, ImageNumbers& numbers) const = 0;

  /// Throws NotImplementedError in Keras's words for unknown ways to read images.
  void require_known_sampling() const { sampling_.require_known(); }

 private:
  ImageSampling sampling_;
};

}  // namespace rhyton::layers
