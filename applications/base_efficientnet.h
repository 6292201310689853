#pragma once

#include <cstdint>
#include <string>

#include <rhyton/applications/base_application.h>
#include <rhyton/layers/initializers.h>

// What the EfficientNets and EfficientNetV2s have in common.

namespace rhyton::applications {

/// The initializer of all kernels of convolutions.
layers::Initializer efficientnet_initializer();

/// The images of an EfficientNet in the form that its first convolution takes. The weights "imagenet" were trained with
/// images divided by the variances of the channels, of which the Normalization takes the roots: with them, images are
/// scaled once more.
SymbolicTensor efficientnet_scaled(const SymbolicTensor& image, bool is_imagenet);

/// A convolution without a bias.
struct EfficientConvolution {
  std::int64_t filters;
  std::int64_t kernel_size = 1;
  std::int64_t stride = 1;
  std::string padding = "same";
  std::string name = {};
};
SymbolicTensor efficient_convolution(const SymbolicTensor& x, const EfficientConvolution& convolution);

SymbolicTensor swish(const SymbolicTensor& x, const std::string& name);

/// x with each channel multiplied by a factor that follows from the averages of all channels. `channels` is their
/// number before the expansion of the block; the names of the layers begin with `prefix`.
SymbolicTensor squeezed_and_excited(const SymbolicTensor& x, std::int64_t channels, const std::string& prefix);

/// The end of a block that keeps the shape: the sum of its input and of x, which during training is dropped for a
/// fraction `drop_rate` of the samples.
SymbolicTensor added_to_input(const SymbolicTensor& x, const SymbolicTensor& input, double drop_rate,
                              const std::string& prefix);

/// "block2c_" for stage 1 and repeat 2, counted from 0.
std::string block_prefix(std::size_t stage, std::int64_t repeat);

/// The number of blocks of a stage of a deeper network.
std::int64_t deeper(std::int64_t repeats, double depth);

/// Pooling, dropout and the classes.
SymbolicTensor efficientnet_top(const SymbolicTensor& features, const ApplicationOptions& options, double dropout_rate,
                                const layers::Initializer& bias_initializer);

}  // namespace rhyton::applications
