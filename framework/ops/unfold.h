#pragma once

#include <rhyton/framework/by_name.h>
#include <rhyton/framework/ops/per_axis.h>
#include <rhyton/framework/tensor/tensor.h>

namespace rhyton {
inline namespace ops {

/// Fields in the order of `keras.ops.unfold`.
struct UnfoldOptions {
  ByName by_name = ByName();
  /// The distance of the cells of a window.
  PerAxis dilation = 1;
  /// The number of zeros at both sides of each axis.
  PerAxis padding = 0;
  PerAxis stride = 1;
};

/// The windows of images [batch, channels, height, width], one after the other: [batch, channels · window height ·
/// window width, windows] (`keras.ops.unfold`, https://keras.io/api/ops/nn/#unfold-function). All dtypes,
/// differentiable any number of times. Throws ValueError in Keras's words for another rank, ValueError for a window
/// that does not fit and for numbers that are not positive.
Tensor unfold(const Tensor& x, const PerAxis& kernel_size, const UnfoldOptions& options = {});

/// Images [batch, channels, height, width] of the size `output_size` that are the sums of such windows [batch,
/// channels · window height · window width, windows] (`keras.ops.fold`, https://keras.io/api/ops/nn/#fold-function).
/// Throws ValueError in Keras's words for another rank and a number of windows or of their cells that does not fit.
Tensor fold(const Tensor& x, const PerAxis& output_size, const PerAxis& kernel_size, const UnfoldOptions& options = {});

/// The shapes of both, with -1 for lengths that are unknown. Throw as the functions.
Shape unfold_shape(const Shape& x, const PerAxis& kernel_size, const UnfoldOptions& options);
Shape fold_shape(const Shape& x, const PerAxis& output_size, const PerAxis& kernel_size, const UnfoldOptions& options);

}  // namespace ops
}  // namespace rhyton
