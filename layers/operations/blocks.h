#pragma once

#include <cstdint>
#include <string>

#include <rhyton/framework/ops/space_to_depth.h>
#include <rhyton/framework/ops/unfold.h>
#include <rhyton/layers/symbolic_tensor.h>

// Functions of keras.ops that rearrange blocks of images, on symbolic tensors: operations of a functional model. Each
// has the parameters of the function of tensors and throws as it does when it is called, where the lengths are known.

namespace rhyton {
inline namespace ops {

/// Images whose channels become blocks of `block_size` · `block_size` pixels.
layers::SymbolicTensor depth_to_space(const layers::SymbolicTensor& x, std::int64_t block_size,
                                      const std::string& data_format = "channels_last");
/// The inverse: blocks of pixels become channels.
layers::SymbolicTensor space_to_depth(const layers::SymbolicTensor& x, std::int64_t block_size,
                                      const std::string& data_format = "channels_last");
/// The windows of images [batch, channels, height, width]: [batch, channels · cells, windows].
layers::SymbolicTensor unfold(const layers::SymbolicTensor& x, const PerAxis& kernel_size,
                              const UnfoldOptions& options = {});
/// Images of the size `output_size` that are the sums of such windows.
layers::SymbolicTensor fold(const layers::SymbolicTensor& x, const PerAxis& output_size, const PerAxis& kernel_size,
                            const UnfoldOptions& options = {});

}  // namespace ops
}  // namespace rhyton
