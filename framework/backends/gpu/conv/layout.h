#pragma once

#include <rhyton/framework/backends/gpu/conv/problem.h>
#include <rhyton/framework/backends/gpu/runtime/stream.h>

namespace rhyton::gpu {

/// Copies images [N, H, W, C] to larger ones, with zeros below and on the right.
void pad_images(GpuStream& stream, const ConvolutionProblem& problem, const ConvolutionProblem& padded,
                const void* source, void* target);

/// The inverse of `pad_images`: copies the upper left part of each image.
void crop_images(GpuStream& stream, const ConvolutionProblem& problem, const ConvolutionProblem& padded,
                 const void* source, void* target);

/// activation(y + bias) in place, `bias` [Cout] or null.
void add_bias_and_activate(GpuStream& stream, const ConvolutionProblem& problem, void* y, const void* bias, bool relu);

/// Adds up `splits` contiguous arrays of `size` numbers (double for float64, else float).
void sum_splits(GpuStream& stream, DType dtype, const void* partial, std::int64_t splits, std::int64_t size,
                void* target);

}  // namespace rhyton::gpu
