#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <rhyton/framework/by_name.h>
#include <rhyton/framework/tensor/tensor.h>

// Functions of keras.ops.image that cut images and volumes into patches. All dtypes, differentiable any number of
// times.

namespace rhyton {
inline namespace ops {
namespace image {

/// Fields in the order of `keras.ops.image.extract_patches`. Lists have one number for all axes, or one for each.
struct ExtractPatchesOptions {
  ByName by_name = ByName();
  /// From a patch to the next one; the size of a patch where it is empty.
  std::vector<std::int64_t> strides = {};
  std::vector<std::int64_t> dilation_rate = {1};
  /// "valid", or "same" with a border of zeros.
  std::string padding = "valid";
  /// "channels_last" or "channels_first"; `config::image_data_format()` where it is empty.
  std::string data_format = "";
};

/// The patches of an image [height, width, channels], or of each image of a batch: [patch rows, patch columns,
/// size[0] · size[1] · channels], channels innermost (`keras.ops.image.extract_patches`,
/// https://keras.io/api/ops/image/#extractpatches-function). With three numbers as `size` it is `extract_patches_3d`.
/// Throws ValueError for another rank, and for arguments that do not fit.
Tensor extract_patches(const Tensor& images, const std::vector<std::int64_t>& size,
                       const ExtractPatchesOptions& options = {});
/// Square patches.
Tensor extract_patches(const Tensor& images, std::int64_t size, const ExtractPatchesOptions& options = {});

/// The same of a volume [depth, height, width, channels], or of each volume of a batch
/// (`keras.ops.image.extract_patches_3d`, https://keras.io/api/ops/image/#extractpatches3d-function). Throws as
/// `extract_patches`, and TypeError for a `size` of another length.
Tensor extract_patches_3d(const Tensor& volumes, const std::vector<std::int64_t>& size,
                          const ExtractPatchesOptions& options = {});
/// Cubes.
Tensor extract_patches_3d(const Tensor& volumes, std::int64_t size, const ExtractPatchesOptions& options = {});

}  // namespace image
}  // namespace ops
}  // namespace rhyton
