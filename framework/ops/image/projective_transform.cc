#include <rhyton/framework/ops/image/projective_transform.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/attribute_text.h>
#include <rhyton/framework/ops/elementwise.h>

namespace rhyton {
inline namespace ops {
namespace image {
namespace {

constexpr std::array<std::pair<std::string_view, FillMode>, 5> fill_modes = {{{"constant", FillMode::constant},
                                                                              {"nearest", FillMode::nearest},
                                                                              {"wrap", FillMode::wrap},
                                                                              {"mirror", FillMode::mirror},
                                                                              {"reflect", FillMode::reflect}}};

constexpr double maximum_integer_fill = 1e15;

void require_transforms(std::span<const TensorSpec> inputs) {
  const Shape& images = inputs[0].shape;
  const Shape& transforms = inputs[1].shape;
  if (images.rank() != 4) throw InvalidArgumentError("Input images must have rank 4");
  const bool fits = transforms.rank() == 2 && transforms[1] == 8 && (transforms[0] == 1 || transforms[0] == images[0]);
  if (!fits) throw InvalidArgumentError("Input transform should be num_images x 8 or 1 x 8");
  if (inputs[1].dtype != DType::float32) throw InvalidArgumentError("Transforms must be of float32");
}

/// Each image has the transform of its sample, or all have one.
BatchRule rule_of(std::span<const TensorSpec> inputs, std::span<const int> batch_axes) {
  if (batch_axes[0] != 0) return BatchRule::mixes();
  return batch_axes[1] == 0 || (batch_axes[1] < 0 && inputs[1].shape[0] == 1) ? BatchRule::maps(0) : BatchRule::mixes();
}

/// A few for the coordinates of a pixel, and those for each of its channels.
double flops_of(bool bilinear, const Shape& images) {
  constexpr double for_coordinates = 20;
  const double pixels = static_cast<double>(images[0]) * static_cast<double>(images[1] * images[2]);
  return pixels * (for_coordinates + (bilinear ? 9.0 : 1.0) * static_cast<double>(images[3]));
}

std::string common_attributes(bool bilinear, FillMode mode) {
  std::string text = attribute("bilinear", bilinear) + ", fill_mode=";
  for (const auto& [name, its_mode] : fill_modes) {
    if (its_mode == mode) text += name;
  }
  return text;
}

}  // namespace

std::int64_t integer_fill(double value) {
  if (std::isnan(value)) return 0;
  return static_cast<std::int64_t>(std::clamp(value, -maximum_integer_fill, maximum_integer_fill));
}

std::optional<FillMode> find_fill_mode(std::string_view name) {
  for (const auto& [its_name, mode] : fill_modes) {
    if (name == its_name) return mode;
  }
  return std::nullopt;
}

std::vector<TensorSpec> ProjectiveTransformOp::infer(std::span<const TensorSpec> inputs) const {
  require_transforms(inputs);
  if (inputs[0].dtype == DType::bool_) throw InvalidArgumentError("Images of bool cannot be transformed");
  return {inputs[0]};
}

std::vector<Tensor> ProjectiveTransformOp::gradient(const GradientArguments& arguments) const {
  if (!arguments.needed[0]) return {Tensor(), Tensor()};
  // Of half types the sums are float32.
  const Tensor& dy = arguments.output_gradients[0];
  const Tensor terms = is_half(dy.dtype()) ? cast(dy, DType::float32) : dy;
  return {cast(call<ProjectiveTransformGradOp>({terms, arguments.inputs[1]}, bilinear, mode), dy.dtype()), Tensor()};
}

BatchRule ProjectiveTransformOp::batch_rule(std::span<const TensorSpec> inputs, std::span<const int> batch_axes) const {
  return rule_of(inputs, batch_axes);
}

std::string ProjectiveTransformOp::attributes() const {
  return common_attributes(bilinear, mode) + ", " + attribute("fill_value", fill_value);
}

double ProjectiveTransformOp::flops(std::span<const TensorSpec> inputs, std::span<const TensorSpec>) const {
  return flops_of(bilinear, inputs[0].shape);
}

std::vector<TensorSpec> ProjectiveTransformGradOp::infer(std::span<const TensorSpec> inputs) const {
  require_transforms(inputs);
  return {inputs[0]};
}

std::vector<Tensor> ProjectiveTransformGradOp::gradient(const GradientArguments& arguments) const {
  if (!arguments.needed[0]) return {Tensor(), Tensor()};
  return {call<ProjectiveTransformOp>({arguments.output_gradients[0], arguments.inputs[1]}, bilinear, mode, 0.0),
          Tensor()};
}

BatchRule ProjectiveTransformGradOp::batch_rule(std::span<const TensorSpec> inputs,
                                                std::span<const int> batch_axes) const {
  return rule_of(inputs, batch_axes);
}

std::string ProjectiveTransformGradOp::attributes() const { return common_attributes(bilinear, mode); }

double ProjectiveTransformGradOp::flops(std::span<const TensorSpec> inputs, std::span<const TensorSpec>) const {
  return flops_of(bilinear, inputs[0].shape);
}

}  // namespace image
}  // namespace ops
}  // namespace rhyton
