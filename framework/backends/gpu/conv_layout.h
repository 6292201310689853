#pragma once

#include <rhyton/framework/backends/gpu/convolution_problem.h>
#include <rhyton/framework/backends/gpu/stream.h>

namespace rhyton::gpu {

/// A matrix [rows, columns] to [columns, rows]. With the weights of a filter as rows this takes Keras's layout of
/// kernels, [KH, KW, Cin / groups, Cout], to that of cuDNN, [Cout, KH, KW, Cin / groups], and with the filters as rows
/// back.
void transpose_matrix(GpuStream& stream, DType dtype, const void* source, std::int64_t rows, std::int64_t columns,
                      void* target);

/// Images [N, H, W, C] to larger ones, with zeros below and on the right.
void pad_images(GpuStream& stream, const ConvolutionProblem& problem, const ConvolutionProblem& padded,
                const void* source, void* target);

/// What `pad_images` did undone: the upper left part of each image.
void crop_images(GpuStream& stream, const ConvolutionProblem& problem, const ConvolutionProblem& padded,
                 const void* source, void* target);

/// activation(y + bias) in place, `bias` [Cout] or null.
void add_bias_and_activate(GpuStream& stream, const ConvolutionProblem& problem, void* y, const void* bias, bool relu);

/// Adds up `splits` arrays of `size` numbers (double for float64, else float), which lie one after the other.
void sum_splits(GpuStream& stream, DType dtype, const void* partial, std::int64_t splits, std::int64_t size,
                void* target);

}  // namespace rhyton::gpu
