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

  /// Images, or a dictionary of images and labels. Throws NotImplementedError for other entries.
  Argument arrange_inputs(Argument inputs) const override;
  /// The shapes of images and, with a dictionary, of labels. Throws ValueError.
  void check_inputs(const std::vector<Shape>& inputs) const override;
  std::vector<Tensor> call_with(const BoundArguments& arguments, bool training) override;
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

  /// A random order of the batch, [batch].
  static Tensor random_order(ImageNumbers& numbers);
  /// Numbers of the beta distribution whose parameters both are `alpha`, []: one for each image, [batch].
  Tensor beta_numbers(const Tensor& images, const Tensor& alpha, DType dtype) const;

 private:
  static Tensor mixed(const Tensor& images, const Mixture& mixture);
};

/// Numbers of the gamma distribution with these shapes, in float64. As in TensorFlow, none is smaller than the smallest
/// normal number of float32.
Tensor gamma_numbers(const Tensor& shapes, std::uint64_t key, const Tensor& draw);

}  // namespace rhyton::layers
