#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include <rhyton/layers/argument.h>
#include <rhyton/layers/symbolic_tensor.h>

// The Fourier transforms of keras.ops on symbolic tensors: operations of a functional model. Each has the parameters of
// the function of tensors and throws as it does, where the lengths are known. A window is None, "hann", "hamming" or a
// tensor.

namespace rhyton {
inline namespace ops {

/// The real and the imaginary part of a complex symbolic tensor.
using SymbolicComplexTensor = std::pair<layers::SymbolicTensor, layers::SymbolicTensor>;

/// The Fourier transform of the last axis.
SymbolicComplexTensor fft(const SymbolicComplexTensor& x);
/// The Fourier transform of the last two axes.
SymbolicComplexTensor fft2(const SymbolicComplexTensor& x);
/// The inverse of `fft2`.
SymbolicComplexTensor ifft2(const SymbolicComplexTensor& x);
/// The frequencies 0 to N / 2 of real numbers.
SymbolicComplexTensor rfft(const layers::SymbolicTensor& x, std::optional<std::int64_t> fft_length = std::nullopt);
/// The inverse of `rfft`.
layers::SymbolicTensor irfft(const SymbolicComplexTensor& x, std::optional<std::int64_t> fft_length = std::nullopt);
/// Windows of `sequence_length` elements of the last axis.
layers::SymbolicTensor extract_sequences(const layers::SymbolicTensor& x, std::int64_t sequence_length,
                                         std::int64_t sequence_stride);
/// The short-time Fourier transform.
SymbolicComplexTensor stft(const layers::SymbolicTensor& x, std::int64_t sequence_length, std::int64_t sequence_stride,
                           std::int64_t fft_length, const layers::Argument& window = "hann", bool center = true);
/// The inverse of `stft`.
layers::SymbolicTensor istft(const SymbolicComplexTensor& x, std::int64_t sequence_length, std::int64_t sequence_stride,
                             std::int64_t fft_length, std::optional<std::int64_t> length = std::nullopt,
                             const layers::Argument& window = "hann", bool center = true);

}  // namespace ops
}  // namespace rhyton
