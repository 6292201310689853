#pragma once

#include <optional>

#include <rhyton/framework/ops/conv.h>

namespace rhyton {
inline namespace ops {

/// A convolution without padding of its own.
struct NarrowConvolution {
  Tensor x;
  Tensor kernel;
  Conv2DAttributes attributes;
};

/// The same convolution without those taps of the kernel that read padding at every position of the window; empty where
/// the padding is not much longer than the images. A dilation rate larger than the images would otherwise need memory
/// in proportion to the padding, which a file can make arbitrarily large. `x` [N, H, W, C] and `kernel` have rank 4.
std::optional<NarrowConvolution> without_wide_padding(const Tensor& x, const Tensor& kernel,
                                                      const Conv2DAttributes& attributes);

}  // namespace ops
}  // namespace rhyton
