#pragma once

#include <array>
#include <cstdint>
#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/framework/tensor/tensor.h>

// Functions of keras.ops.image that compute with the neighbours of pixels. Images are [height, width, channels] or a
// batch of them, [batch, height, width, channels], with "channels_first" [channels, height, width]. Composed of other
// ops: differentiable any number of times.

namespace rhyton {
inline namespace ops {
namespace image {

/// Fields in the order of `keras.ops.image.gaussian_blur`.
struct GaussianBlurOptions {
  ByName by_name = ByName();
  /// Height and width of the window.
  std::array<std::int64_t, 2> kernel_size = {3, 3};
  std::array<double, 2> sigma = {1.0, 1.0};
  /// "channels_last" or "channels_first"; `config::image_data_format()` where it is empty.
  std::string data_format = "";
};

/// Each pixel as the mean of its neighbours, zeros beyond the border, weighted by the Gaussian function
/// (`keras.ops.image.gaussian_blur`, https://keras.io/api/ops/image/#gaussianblur-function). The weights of a window
/// that is not square are in Keras's order: those of a window [width, height], read row by row. Floating dtypes. Throws
/// ValueError in Keras's words for another rank, InvalidArgumentError for another dtype or an empty window.
Tensor gaussian_blur(const Tensor& images, const GaussianBlurOptions& options = {});

/// The differences of neighbours, in the last axis those along the height and those along the width: images
/// [batch, height, width, channels] -> [batch, height, width, channels, 2]; images are mirrored at their border
/// (`keras.ops.image.sobel_edges`, https://keras.io/api/ops/image/#sobeledges-function). Floating dtypes; height and
/// width are at least 2. Throws ValueError for another rank, InvalidArgumentError for another dtype or size.
Tensor sobel_edges(const Tensor& images, const std::string& data_format = "");

/// Fields in the order of `keras.ops.image.ssim`.
struct SsimOptions {
  ByName by_name = ByName();
  /// The difference of the largest and the smallest possible value.
  double max_val = 1.0;
  std::int64_t filter_size = 11;
  double filter_sigma = 1.5;
  double k1 = 0.01;
  double k2 = 0.03;
  /// "channels_last" or "channels_first"; `config::image_data_format()` where it is empty.
  std::string data_format = "";
};

/// The similarity of the structures of two images, [], or of each two of two batches, [batch]: 1 for equal images
/// (`keras.ops.image.ssim`, https://keras.io/api/ops/image/#ssim-function). In the dtype of `image1`; integers are
/// computed in float32. Throws ValueError in Keras's words for another rank and images smaller than the filter,
/// InvalidArgumentError for images of two sizes.
///
/// Source: Wang et al., Image quality assessment, IEEE Transactions on Image Processing 13 (2004).
Tensor ssim(const Tensor& image1, const Tensor& image2, const SsimOptions& options = {});

}  // namespace image
}  // namespace ops
}  // namespace rhyton
