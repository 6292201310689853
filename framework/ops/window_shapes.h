#pragma once

#include <cstdint>
#include <span>
#include <string>

#include <rhyton/framework/ops/convolutions.h>
#include <rhyton/framework/ops/window_pooling.h>
#include <rhyton/framework/tensor/shape.h>

// Shapes of what windows compute by Keras's formulas, with its messages. Lengths may be unknown, -1: as lengths of an
// output they are then unknown, too.

namespace rhyton {
inline namespace ops {

/// Throws ValueError in Keras's words unless inputs have one to three spatial axes.
void require_spatial_rank(int rank);
/// Throws ValueError in Keras's words where the number of input channels is known and is not that of the kernel.
void require_kernel_channels(const Shape& inputs, std::int64_t kernel_channels, const std::string& data_format);

/// Of `conv` with a kernel of these lengths, the last two of which are not read. Throws ValueError in Keras's words
/// where ranks or numbers do not fit or an axis would have no elements.
Shape conv_output_shape(const Shape& inputs, const Shape& kernel, std::int64_t filters, const ConvOptions& options);
/// Of `conv_transpose` with a kernel of these lengths.
Shape conv_transpose_output_shape(const Shape& inputs, const Shape& kernel, const ConvTransposeOptions& options);
/// Of `max_pool` and `average_pool`.
Shape pooling_output_shape(const Shape& inputs, const PerAxis& pool_size, const PoolOptions& options);

/// As NumPy prints an array: "[2 3]".
std::string array_text(std::span<const std::int64_t> numbers);

}  // namespace ops
}  // namespace rhyton
