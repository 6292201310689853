#include <rhyton/framework/ops/image/filters.h>

#include <cmath>
#include <vector>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/conv.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/image/image_batch.h>
#include <rhyton/framework/ops/rearranging.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/framework/tensor/checked_arithmetic.h>
#include <rhyton/framework/tensor/result_type.h>

namespace rhyton {
inline namespace ops {
namespace image {
namespace {

void require_floating(const Tensor& images, const std::string& function) {
  if (is_floating(images.dtype())) return;
  throw InvalidArgumentError(
      function + " takes images of a floating dtype. Received: images.dtype=" + std::string(name_of(images.dtype())));
}

/// The Gaussian function at `size` places around 0, with the sum 1.
std::vector<double> gaussian(std::int64_t size, double sigma) {
  if (size <= 0)
    throw InvalidArgumentError("filter must not have zero elements (i.e. all dimensions must be non-zero)");
  if (size > longest_window) {
    throw ValueError("A window can have a length of at most " + std::to_string(longest_window) +
                     ". Received: " + std::to_string(size));
  }
  std::vector<double> values;
  double sum = 0;
  for (std::int64_t i = 0; i < size; ++i) {
    const double distance = (static_cast<double>(i) - static_cast<double>(size - 1) / 2) / sigma;
    values.push_back(std::exp(-0.5 * distance * distance));
    sum += values.back();
  }
  for (double& value : values) value /= sum;
  return values;
}

/// [rows.size(), columns.size()], row by row.
std::vector<double> outer_product(const std::vector<double>& rows, const std::vector<double>& columns) {
  std::vector<double> products;
  for (const double row : rows) {
    for (const double column : columns) products.push_back(row * column);
  }
  return products;
}

/// The images convolved channel by channel; `weights` is [height, width, 1, filters of a channel].
Tensor depthwise(const Tensor& images, const Tensor& weights, Padding padding) {
  const std::int64_t channels = images.shape()[-1];
  return conv2d(images, tile(cast(weights, images.dtype()), {1, 1, 1, channels}),
                {.padding = padding, .groups = channels});
}

void require_rank(const Tensor& image, const std::string& name) {
  if (image.rank() == 3 || image.rank() == 4) return;
  throw ValueError("Invalid " + name +
                   " rank: expected rank 3 (single image) or rank 4 (batch of images). Received input with shape: " +
                   name + ".shape=" + image.shape().to_string());
}

}  // namespace

Tensor gaussian_blur(const Tensor& images, const GaussianBlurOptions& options) {
  require_images(images);
  require_floating(images, "gaussian_blur");
  const auto [height, width] = options.kernel_size;
  const std::vector<double> rows = gaussian(height, options.sigma[0]);
  const std::vector<double> columns = gaussian(width, options.sigma[1]);
  const ImageBatch batch(images, options.data_format);
  if (batch.images().size() == 0) return identity(images);
  // Keras lays the product of the other order into this shape.
  const Tensor weights = Tensor::from_data({height, width, 1, 1}, outer_product(columns, rows));
  return batch.restored(depthwise(batch.images(), weights, Padding::same));
}

Tensor sobel_edges(const Tensor& images, const std::string& data_format) {
  if (images.rank() != 4) {
    throw ValueError("Invalid images rank: expected rank 4 (batch of images). Received: images.shape=" +
                     images.shape().to_string());
  }
  require_floating(images, "sobel_edges");
  const bool channels_first = has_channels_first(data_format);
  const Tensor x = channels_first ? moveaxis(images, 1, -1) : images;
  const Tensor mirrored = pad(x, {{0, 0}, {1, 1}, {1, 1}, {0, 0}}, PadMode::reflect);
  const Shape shape = x.shape().concatenate({2});
  // [row, column, 1, direction]
  const Tensor weights =
      Tensor::from_data<float>({3, 3, 1, 2}, {-1, -1, -2, 0, -1, 1, 0, -2, 0, 0, 0, 2, 1, -1, 2, 0, 1, 1});
  const Tensor edges =
      x.size() == 0 ? Tensor::zeros(shape, x.dtype()) : reshape(depthwise(mirrored, weights, Padding::valid), shape);
  return channels_first ? moveaxis(edges, 3, 1) : edges;
}

Tensor ssim(const Tensor& image1, const Tensor& image2, const SsimOptions& options) {
  require_rank(image1, "image1");
  require_rank(image2, "image2");
  if (image1.shape() != image2.shape()) {
    throw InvalidArgumentError("Incompatible shapes: " + image1.shape().to_string() + " vs. " +
                               image2.shape().to_string());
  }
  const DType dtype = floating_result_type(image1.dtype());
  const ImageBatch first(cast(image1, dtype), options.data_format);
  const ImageBatch second(cast(image2, dtype), options.data_format);
  const Shape& shape = first.images().shape();
  const std::vector<double> line = gaussian(options.filter_size, options.filter_sigma);
  const Tensor weights =
      cast(Tensor::from_data({options.filter_size, options.filter_size, 1, 1}, outer_product(line, line)), dtype);
  // Every channel as an image of its own.
  const auto channels = [&](const ImageBatch& batch) {
    return reshape(transpose(batch.images(), {0, 3, 1, 2}),
                   {checked_multiply(shape[0], shape[3]), shape[1], shape[2], 1});
  };
  const auto mean_around = [&](const Tensor& x) { return conv2d(x, weights); };
  const Tensor x = channels(first);
  const Tensor y = channels(second);
  const Tensor mean_x = mean_around(x);
  const Tensor mean_y = mean_around(y);
  const Tensor mean_xy = mean_x * mean_y;
  const Tensor squared_means = mean_x * mean_x + mean_y * mean_y;
  const Tensor variances = (mean_around(x * x) - mean_x * mean_x) + (mean_around(y * y) - mean_y * mean_y);
  const Tensor covariance = mean_around(x * y) - mean_xy;
  const double c1 = std::pow(options.k1 * options.max_val, 2);
  const double c2 = std::pow(options.k2 * options.max_val, 2);
  const Tensor similarity =
      ((2.0 * mean_xy + c1) * (2.0 * covariance + c2)) / ((squared_means + c1) * (variances + c2));
  const Tensor of_channels = reshape(mean(similarity, {1, 2, 3}), {shape[0], shape[3]});
  const Tensor result = mean(of_channels, {-1});
  return cast(image1.rank() == 3 ? squeeze(result, {0}) : result, image1.dtype());
}

}  // namespace image
}  // namespace ops
}  // namespace rhyton
