#pragma once

#include <string>

#include <rhyton/framework/io/json/json.h>
#include <rhyton/framework/tensor/scalar.h>
#include <rhyton/framework/tensor/tensor.h>

namespace rhyton::layers {

/// The least and the greatest value that images can have: {0, 255} or {0, 1} (the argument `value_range` of Keras's
/// layers of images).
struct ValueRange {
  double low = 0;
  double high = 255;

  constexpr ValueRange() = default;
  constexpr ValueRange(double low, double high) : low(low), high(high) {}

  /// With the smaller number first.
  ValueRange sorted() const;
  double length() const { return high - low; }
  bool operator==(const ValueRange&) const = default;

  io::Json to_config() const;
  /// Throws ValueError in Keras's words for anything but a list of two numbers.
  static ValueRange from_config(const char* key, const io::Json& config);
  static constexpr const char* config_type = "a list of two numbers";
};

/// The range in which layers compute.
constexpr ValueRange byte_range = {0, 255};

/// A number for arithmetic with tensors of this dtype: an integer for integers, which then stay integers. Throws
/// ValueError for a fraction in an integer dtype.
Scalar number_for(DType dtype, double value);

/// Images with their values limited to the range, in their dtype.
Tensor clip_to(const Tensor& images, const ValueRange& range);

/// Images with values in `from` as images with values in `to`, in `dtype`; unchanged, in their own dtype, if the ranges
/// are equal.
Tensor transform_value_range(const Tensor& images, const ValueRange& from, const ValueRange& to, DType dtype);

}  // namespace rhyton::layers
