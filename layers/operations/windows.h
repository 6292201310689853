#pragma once

#include <string>

#include <rhyton/framework/ops/adaptive_pooling.h>
#include <rhyton/framework/ops/conv.h>
#include <rhyton/framework/ops/convolutions.h>
#include <rhyton/framework/ops/pooling.h>
#include <rhyton/framework/ops/window_pooling.h>
#include <rhyton/layers/argument.h>
#include <rhyton/layers/symbolic_tensor.h>

// The convolutions and pooling of keras.ops on symbolic tensors: operations of a functional model. Each has the
// parameters of the function of tensors and throws as it does when it is called, where the lengths are known. Kernels
// may be symbolic tensors or tensors, which are then constants of the model.

namespace rhyton {
inline namespace ops {

/// The convolution with a kernel [window, channels, filters]. There are no groups: as in Keras, another number of
/// channels is refused.
layers::SymbolicTensor conv(const layers::SymbolicTensor& inputs, const layers::Argument& kernel,
                            const ConvOptions& options = {});
/// The convolution of each channel with kernels of its own, [window, channels, multiplier].
layers::SymbolicTensor depthwise_conv(const layers::SymbolicTensor& inputs, const layers::Argument& kernel,
                                      const ConvOptions& options = {});
/// `depthwise_conv` and then the convolution with a kernel [1, …, channels · multiplier, filters].
layers::SymbolicTensor separable_conv(const layers::SymbolicTensor& inputs, const layers::Argument& depthwise_kernel,
                                      const layers::Argument& pointwise_kernel, const ConvOptions& options = {});
/// The transposed convolution with a kernel [window, filters, channels]. Keras 3.15 reads and writes this operation,
/// but cannot run it: its arguments change places.
layers::SymbolicTensor conv_transpose(const layers::SymbolicTensor& inputs, const layers::Argument& kernel,
                                      const ConvTransposeOptions& options = {});

/// The largest value of each window and channel.
layers::SymbolicTensor max_pool(const layers::SymbolicTensor& inputs, const PerAxis& pool_size,
                                const PoolOptions& options = {});
/// The mean of each window and channel over the cells inside the input.
layers::SymbolicTensor average_pool(const layers::SymbolicTensor& inputs, const PerAxis& pool_size,
                                    const PoolOptions& options = {});
/// The mean of each of `output_size` windows that cover the spatial axes as evenly as possible. Keras 3.15 writes this
/// operation, but cannot read it.
layers::SymbolicTensor adaptive_average_pool(const layers::SymbolicTensor& inputs, const PerAxis& output_size,
                                             const std::string& data_format = "");
/// The largest value of each of these windows. Keras 3.15 writes this operation, but cannot read it.
layers::SymbolicTensor adaptive_max_pool(const layers::SymbolicTensor& inputs, const PerAxis& output_size,
                                         const std::string& data_format = "");

// The functions with attributes in place of Keras's options, of images with the channels last.

/// The convolution of images with a kernel [height, width, channels / groups, filters]. Keras's operation has no
/// groups: several are a convolution for each of them, between a Split and a Concatenate, or a depthwise one. Throws
/// ValueError where their channels are unknown.
layers::SymbolicTensor conv2d(const layers::SymbolicTensor& x, const layers::Argument& kernel,
                              const Conv2DAttributes& attributes = {});
/// The largest value of each window and channel.
layers::SymbolicTensor max_pool2d(const layers::SymbolicTensor& x, const Pool2DAttributes& attributes = {});
/// The mean of each window and channel over the cells inside the image.
layers::SymbolicTensor average_pool2d(const layers::SymbolicTensor& x, const Pool2DAttributes& attributes = {});

}  // namespace ops
}  // namespace rhyton
