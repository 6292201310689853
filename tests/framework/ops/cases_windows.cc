#include <cstdint>
#include <string>
#include <vector>

#include <rhyton/framework/ops/adaptive_pooling.h>
#include <rhyton/framework/ops/convolutions.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/image/geometric_transforms.h>
#include <rhyton/framework/ops/image/projective_transform.h>
#include <rhyton/framework/ops/psnr.h>
#include <rhyton/framework/ops/rms_normalization.h>
#include <rhyton/framework/ops/space_to_depth.h>
#include <rhyton/framework/ops/unfold.h>
#include <rhyton/framework/ops/window_pooling.h>
#include <rhyton/tests/framework/ops/conformance_case.h>

namespace rhyton::conformance {
namespace {

using Inputs = std::vector<Tensor>;

Case with_kernel(const std::string& name, const Shape& x, const Shape& kernel,
                 Tensor (*f)(const Tensor&, const Tensor&)) {
  return {.name = name,
          .call = [f](const Inputs& in) { return one(f(in[0], in[1])); },
          .inputs = {{.shape = x}, {.shape = kernel}}};
}

/// Squared, so that the second derivative is not zero.
Case pooling_windows(const std::string& name, const Shape& x, Tensor (*f)(const Tensor&)) {
  return {.name = name,
          .call = [f](const Inputs& in) { return one(square(f(in[0]))); },
          .inputs = {{.shape = x, .distinct = true}}};
}

Case moving_blocks(const std::string& name, const Shape& x, Tensor (*f)(const Tensor&)) {
  return {.name = name,
          .call = [f](const Inputs& in) { return one(f(in[0])); },
          .inputs = {{.shape = x}},
          .also = further_dtypes()};
}

/// Images and transforms: some of their places are outside. The numbers of transforms are those that all floating dtypes
/// have. Interpolated pixels are converted to float32, so that finite differences are no derivatives of them.
Case transformed(const std::string& name, const std::string& interpolation, const std::string& fill_mode,
                 std::int64_t transforms) {
  std::vector<double> numbers;
  for (std::int64_t i = 0; i < transforms; ++i) {
    const auto turn = 0.25 * static_cast<double>(i + 1);
    numbers.insert(numbers.end(), {0.875, -turn, 0.375, turn, 1.25, -1.40625, 0.0078125, -0.01171875});
  }
  const bool is_nearest = interpolation == "nearest";
  return {.name = "transform_of_images_" + name,
          .call =
              [interpolation, fill_mode](const Inputs& in) {
                return one(image::affine_transform(
                    in[0], in[1], {.interpolation = interpolation, .fill_mode = fill_mode, .fill_value = 2.0}));
              },
          .inputs = {{.shape = {3, 5, 6, 2}}, {.shape = {transforms, 8}, .values = numbers}},
          .derivatives = 0,
          .also = is_nearest ? integer_dtypes() : std::vector<DType>()};
}

/// The gradient of the images alone, which is linear in that of the result.
Case gradient_of_transform(const std::string& name, bool bilinear, image::FillMode mode) {
  return {.name = "gradient_of_transform_of_images_" + name,
          .call =
              [bilinear, mode](const Inputs& in) {
                const DType dtype = in[0].dtype() == DType::float64 ? DType::float64 : DType::float32;
                return one(call<image::ProjectiveTransformGradOp>({cast(in[0], dtype), cast(in[1], DType::float32)},
                                                                  bilinear, mode));
              },
          .inputs = {{.shape = {3, 5, 6, 2}},
                     {.shape = {1, 8}, .values = {0.875, -0.25, 0.375, 0.25, 1.25, -1.4375, 0, 0}}},
          .derivatives = 0};
}

}  // namespace

std::vector<Case> window_cases() {
  return {
      with_kernel("conv_of_lines", {3, 6, 2}, {3, 2, 2},
                  [](const Tensor& x, const Tensor& k) { return conv(x, k, {.strides = 2, .padding = "same"}); }),
      with_kernel("conv_of_volumes", {2, 3, 4, 3, 2}, {2, 2, 2, 1, 2},
                  [](const Tensor& x, const Tensor& k) { return conv(x, k, {.padding = "same"}); }),
      with_kernel("conv_channels_first", {2, 2, 4, 3}, {2, 2, 2, 2},
                  [](const Tensor& x, const Tensor& k) { return conv(x, k, {.data_format = "channels_first"}); }),
      with_kernel("depthwise_conv", {2, 4, 5, 2}, {2, 3, 2, 2},
                  [](const Tensor& x, const Tensor& k) {
                    return depthwise_conv(x, k, {.strides = {2, 1}});
                  }),
      with_kernel(
          "conv_transpose_of_lines", {2, 4, 2}, {3, 2, 2},
          [](const Tensor& x, const Tensor& k) { return conv_transpose(x, k, {.strides = 2, .output_padding = 1}); }),
      with_kernel("conv_transpose_of_images", {2, 3, 3, 2}, {3, 2, 2, 2},
                  [](const Tensor& x, const Tensor& k) {
                    return conv_transpose(x, k, {.strides = {2, 1}, .padding = "same"});
                  }),
      pooling_windows("max_pool_of_lines", {3, 6, 2}, [](const Tensor& x) { return max_pool(x, 2, {.strides = 1}); }),
      pooling_windows("average_pool_of_volumes", {2, 3, 4, 4, 1}, [](const Tensor& x) { return average_pool(x, 2); }),
      pooling_windows("adaptive_max_pool", {2, 5, 4, 2},
                      [](const Tensor& x) {
                        return adaptive_max_pool(x, {3, 2});
                      }),
      pooling_windows("adaptive_average_pool", {2, 7, 2}, [](const Tensor& x) { return adaptive_average_pool(x, 3); }),
      moving_blocks("depth_to_space", {2, 2, 3, 4}, [](const Tensor& x) { return depth_to_space(x, 2); }),
      moving_blocks("space_to_depth", {2, 1, 4, 2},
                    [](const Tensor& x) { return space_to_depth(x, 2, "channels_first"); }),
      moving_blocks("unfold", {2, 2, 4, 3},
                    [](const Tensor& x) {
                      return unfold(x, 2, {.dilation = {2, 1}, .padding = 1});
                    }),
      {.name = "fold",
       .call = [](const Inputs& in) { return one(fold(in[0], 3, 2, {.padding = 1})); },
       .inputs = {{.shape = {2, 4, 16}}}},
      transformed("bilinear", "bilinear", "constant", 3),
      transformed("bilinear_reflected", "bilinear", "reflect", 3),
      transformed("bilinear_wrapped", "bilinear", "wrap", 1),
      transformed("nearest", "nearest", "nearest", 3),
      transformed("nearest_filled", "nearest", "constant", 1),
      gradient_of_transform("constant", true, image::FillMode::constant),
      gradient_of_transform("reflected", true, image::FillMode::reflect),
      gradient_of_transform("nearest", false, image::FillMode::wrap),
      {.name = "psnr",
       .call = [](const Inputs& in) { return one(psnr(in[0], in[1], 2.0)); },
       .inputs = {{.shape = {3, 4}, .lowest = 1.0, .highest = 2.0}, {.shape = {3, 4}, .lowest = -1.0, .highest = 0.0}},
       .half_tolerance = 64.0},
      {.name = "rms_normalization",
       .call = [](const Inputs& in) { return one(rms_normalization(in[0], {.scale = in[1]})); },
       .inputs = {{.shape = {3, 4}}, {.shape = {4}}}},
  };
}

}  // namespace rhyton::conformance
