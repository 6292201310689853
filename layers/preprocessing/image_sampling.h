#pragma once

#include <array>
#include <string>

#include <rhyton/framework/tensor/tensor.h>

namespace rhyton::layers {

/// How layers read images at the places that an affine transform gives (see `ops::image::affine_transform`).
struct ImageSampling {
  std::string interpolation;
  std::string fill_mode;
  double fill_value = 0.0;
  std::string data_format;

  /// Throws NotImplementedError in Keras's words for unknown names.
  void require_known() const;

  /// The same without interpolation, for images whose values are numbers of classes.
  ImageSampling nearest() const;

  /// Images [batch, …] transformed by the six numbers a0, a1, a2, b0, b1, b2 of each image, each [batch].
  Tensor transformed(const Tensor& images, const std::array<Tensor, 6>& numbers) const;
};

/// Throws NotImplementedError in Keras's words unless it is "nearest" or "bilinear".
void require_interpolation(const std::string& interpolation);

}  // namespace rhyton::layers
