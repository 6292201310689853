#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <rhyton/framework/ops/op.h>

// The op of affine_transform and perspective_transform, and its derivative.

namespace rhyton {
inline namespace ops {
namespace image {

/// What images have beyond their border. `mirror` is not known to transforms.
enum class FillMode { constant, nearest, wrap, mirror, reflect };

/// The mode of that name in Keras, "reflect"; none for another name.
std::optional<FillMode> find_fill_mode(std::string_view name);

/// A fill value of integer images: its integer part, which the dtype of the images wraps around; 0 for NaN.
std::int64_t integer_fill(double value);

/// TensorFlow's ImageProjectiveTransformV3, for results of the size of the images. Inputs: images [batch, height, width,
/// channels] and the numbers a0, a1, a2, b0, b1, b2, c0, c1 of each image, float32 [batch, 8], or [1, 8] for all. Not
/// for bool.
class ProjectiveTransformOp final : public Op {
 public:
  ProjectiveTransformOp(bool bilinear, FillMode mode, double fill_value)
      : bilinear(bilinear), mode(mode), fill_value(fill_value) {}
  std::string_view name() const override { return "ImageProjectiveTransformV3"; }
  std::vector<TensorSpec> infer(std::span<const TensorSpec> inputs) const override;
  std::vector<Tensor> gradient(const GradientArguments& arguments) const override;
  BatchRule batch_rule(std::span<const TensorSpec> inputs, std::span<const int> batch_axes) const override;
  std::string attributes() const override;
  double flops(std::span<const TensorSpec> inputs, std::span<const TensorSpec> outputs) const override;

  /// Else the nearest pixel.
  const bool bilinear;
  const FillMode mode;
  const double fill_value;
};

/// The gradient of the images: each pixel's of the result, added to those that it was read from. Inputs: the gradient of
/// the result, and the transforms. Floating dtypes.
class ProjectiveTransformGradOp final : public Op {
 public:
  ProjectiveTransformGradOp(bool bilinear, FillMode mode) : bilinear(bilinear), mode(mode) {}
  std::string_view name() const override { return "ImageProjectiveTransformGrad"; }
  std::vector<TensorSpec> infer(std::span<const TensorSpec> inputs) const override;
  std::vector<Tensor> gradient(const GradientArguments& arguments) const override;
  BatchRule batch_rule(std::span<const TensorSpec> inputs, std::span<const int> batch_axes) const override;
  std::string attributes() const override;
  double flops(std::span<const TensorSpec> inputs, std::span<const TensorSpec> outputs) const override;

  const bool bilinear;
  const FillMode mode;
};

}  // namespace image
}  // namespace ops
}  // namespace rhyton
