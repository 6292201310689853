#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <rhyton/framework/ops/image/colour_spaces.h>
#include <rhyton/framework/ops/image/cropping.h>
#include <rhyton/framework/ops/image/filters.h>
#include <rhyton/framework/ops/image/geometric_transforms.h>
#include <rhyton/framework/ops/image/patches.h>
#include <rhyton/framework/ops/image/resizing.h>
#include <rhyton/layers/argument.h>
#include <rhyton/layers/symbolic_tensor.h>

// The functions of keras.ops.image on symbolic tensors: operations of a functional model. Each has the parameters of
// the function of tensors and throws as it does when it is called, where the lengths are known. Arguments that are not
// symbolic tensors are constants of the model.

namespace rhyton {
inline namespace ops {
namespace image {

/// Images with one channel, the weighted mean of red, green and blue.
layers::SymbolicTensor rgb_to_grayscale(const layers::SymbolicTensor& images, const std::string& data_format = "");
/// Hue, saturation and value.
layers::SymbolicTensor rgb_to_hsv(const layers::SymbolicTensor& images, const std::string& data_format = "");
/// The inverse of `rgb_to_hsv`.
layers::SymbolicTensor hsv_to_rgb(const layers::SymbolicTensor& images, const std::string& data_format = "");

/// Images of another {height, width}.
layers::SymbolicTensor resize(const layers::SymbolicTensor& images, const std::array<std::int64_t, 2>& size,
                              const ResizeOptions& options = {});
/// images scaled and then moved along the axes `spatial_dims`, of which alone the lengths are taken from
/// `output_shape`.
layers::SymbolicTensor scale_and_translate(const layers::SymbolicTensor& images, const Shape& output_shape,
                                           const layers::Argument& scale, const layers::Argument& translation,
                                           const std::vector<int>& spatial_dims, const std::string& method,
                                           bool antialias = true);

/// Images moved, rotated, scaled and distorted by a transform [8], or one for each image.
layers::SymbolicTensor affine_transform(const layers::SymbolicTensor& images, const layers::Argument& transform,
                                        const AffineTransformOptions& options = {});
layers::SymbolicTensor affine_transform(const Tensor& images, const layers::SymbolicTensor& transform,
                                        const AffineTransformOptions& options = {});
/// Images in another perspective, which moves four points to four others.
layers::SymbolicTensor perspective_transform(const layers::SymbolicTensor& images, const layers::Argument& start_points,
                                             const layers::Argument& end_points,
                                             const PerspectiveTransformOptions& options = {});
/// The values of `inputs` at coordinates [rank of inputs, …].
layers::SymbolicTensor map_coordinates(const layers::SymbolicTensor& inputs, const layers::Argument& coordinates,
                                       int order, const std::string& fill_mode = "constant", double fill_value = 0.0);
layers::SymbolicTensor map_coordinates(const Tensor& inputs, const layers::SymbolicTensor& coordinates, int order,
                                       const std::string& fill_mode = "constant", double fill_value = 0.0);
/// Images whose pixels are moved by smooth random distances, which are drawn in each call of the model, or once for
/// each graph as in `predict`.
layers::SymbolicTensor elastic_transform(const layers::SymbolicTensor& images,
                                         const ElasticTransformOptions& options = {});

/// Each pixel as the mean of its neighbours, weighted by the Gaussian function.
layers::SymbolicTensor gaussian_blur(const layers::SymbolicTensor& images, const GaussianBlurOptions& options = {});
/// The differences of neighbours along the height and along the width, in a new last axis.
layers::SymbolicTensor sobel_edges(const layers::SymbolicTensor& images, const std::string& data_format = "");
/// The similarity of the structures of two images, or of each two of two batches.
layers::SymbolicTensor ssim(const layers::SymbolicTensor& image1, const layers::Argument& image2,
                            const SsimOptions& options = {});
layers::SymbolicTensor ssim(const Tensor& image1, const layers::SymbolicTensor& image2,
                            const SsimOptions& options = {});

/// The part of images within these margins. Where a length of the images is unknown, that of the part must be given.
layers::SymbolicTensor crop_images(const layers::SymbolicTensor& images, const CropImagesOptions& options);
/// Images with margins of zeros.
layers::SymbolicTensor pad_images(const layers::SymbolicTensor& images, const PadImagesOptions& options);

/// The patches of each image, or with three numbers as `size` of each volume, channels innermost.
layers::SymbolicTensor extract_patches(const layers::SymbolicTensor& images, const std::vector<std::int64_t>& size,
                                       const ExtractPatchesOptions& options = {});
layers::SymbolicTensor extract_patches(const layers::SymbolicTensor& images, std::int64_t size,
                                       const ExtractPatchesOptions& options = {});
/// The same of volumes.
layers::SymbolicTensor extract_patches_3d(const layers::SymbolicTensor& volumes, const std::vector<std::int64_t>& size,
                                          const ExtractPatchesOptions& options = {});
layers::SymbolicTensor extract_patches_3d(const layers::SymbolicTensor& volumes, std::int64_t size,
                                          const ExtractPatchesOptions& options = {});

}  // namespace image
}  // namespace ops
}  // namespace rhyton
