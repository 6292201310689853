#pragma once

#include <string>
#include <utility>
#include <vector>

#include <rhyton/layers/preprocessing/base_random_image.h>

namespace rhyton::layers {

/// What layers share that change the colours of images at random during training and else return their input, also of
/// integers, unchanged.
class RandomColourImpl : public RandomImageImpl {
 public:
  /// What `augmented` gets for images of integers: these, or images in the compute dtype.
  enum class Integers { kept, converted };

  template <class Options>
  RandomColourImpl(std::string class_name, const Options& options, Integers integers = Integers::converted)
      : RandomImageImpl(std::move(class_name), options), integers_(integers) {}

  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool training) override;

 protected:
  Tensor prepared(const Tensor& images) const override;
  /// The axis of the channels, counted from the front.
  int channel_axis(const Shape& images) const;

 private:
  Integers integers_;
};

}  // namespace rhyton::layers
