#include <string>

#include <rhyton/framework/ops/adaptive_pooling.h>
#include <rhyton/framework/ops/convolutions.h>
#include <rhyton/framework/ops/elementwise.h>
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
