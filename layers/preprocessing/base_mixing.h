#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <rhyton/layers/preprocessing/base_random_image.h>

namespace rhyton::layers {

/// What layers share that mix each image of a batch with another one, and their labels likewise.
class MixingImpl : public RandomImageImpl {
 public:
  using RandomImageImpl::RandomImageImpl;

  /// As that of other image layers. Throws ValueError for labels to be mixed that are no vectors.
  Argument arrange_inputs(Argument inputs) const override;
  LabelledImages transformed(const LabelledImages& data, bool training) override;
  Tensor augmented(const Tensor& images, ImageNumbers& numbers) const override;

 protected:
  /// How a batch is mixed.
  struct Mixture {
    /// The image that each image is mixed with, [batch].
    Tensor order;
    /// The share of the image itself, [batch].
    Tensor weight;
    /// Which pixels are those of the other image, where pixels are not mixed themselves.
    Tensor is_other = {};
  };
  /// Of images [batch, …] in the compute dtype.
  virtual Mixture mixture(const Tensor& images, ImageNumbers& numbers) const = 0;
  /// The boxes of images that are mixed in this order.
  virtual LabelledBoxes mixed_boxes(const LabelledBoxes& boxes, const Tensor& order) const;
  /// Masks that are mixed as images of this shape.
  virtual Tensor mixed_masks(const Tensor& masks, const Shape& images, const Mixture& mixture) const;

  /// A random order of the batch, [batch].
  static Tensor random_order(ImageNumbers& numbers);
  /// Numbers of the beta distribution whose parameters both are `alpha`, []: one for each image, [batch].
  Tensor beta_numbers(const Tensor& images, const Tensor& alpha, DType dtype) const;

  static Tensor mixed(const Tensor& images, const Mixture& mixture);

 private:
  /// For the inference of shapes.
  static Mixture without_draws(const Tensor& images);
};

/// Numbers of the gamma distribution with these shapes, in float64. As in TensorFlow, none is smaller than the smallest
/// normal number of float32.
Tensor gamma_numbers(const Tensor& shapes, std::uint64_t key, const Tensor& draw);

}  // namespace rhyton::layers
