#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <rhyton/framework/ops/op.h>

// The Fourier transforms of keras.ops. Complex numbers are pairs of tensors of one shape and one floating dtype, the
// real and the imaginary part. Lengths may have any factors; powers of small primes are fast. All are differentiable
// any number of times.

namespace rhyton {
inline namespace ops {

/// A complex tensor: the real and the imaginary part. Functions of it throw ValueError when their shapes differ or a
/// dtype is not floating.
using ComplexTensor = std::pair<Tensor, Tensor>;

/// Σ x_n e^(-2πi n k / N) along the last axis [..., N]. (keras.ops.fft)
ComplexTensor fft(const ComplexTensor& x);
/// The same along the last two axes. (keras.ops.fft2)
ComplexTensor fft2(const ComplexTensor& x);
/// The inverse of `fft2`. (keras.ops.ifft2)
ComplexTensor ifft2(const ComplexTensor& x);

/// The frequencies 0 to N / 2 of `fft` of real numbers: [..., N] -> [..., N / 2 + 1]. With `fft_length` it is N, and
/// the last axis is cut or filled with zeros. Throws InvalidArgumentError for a length below 1 and for integers.
/// (keras.ops.rfft)
ComplexTensor rfft(const Tensor& x, std::optional<std::int64_t> fft_length = std::nullopt);
/// The inverse of `rfft`: frequencies [..., M] -> [..., N] with N = fft_length, by default 2 (M - 1). Only the first
/// N / 2 + 1 frequencies count; missing ones are 0, as are the imaginary parts of frequencies 0 and N / 2. Throws
/// InvalidArgumentError for a length below 1. (keras.ops.irfft)
Tensor irfft(const ComplexTensor& x, std::optional<std::int64_t> fft_length = std::nullopt);

/// Windows of `sequence_length` elements that begin every `sequence_stride` elements: [..., T] -> [..., windows,
/// sequence_length]; those that would reach beyond the end are left out. Throws ValueError for a rank of 0, a negative
/// length or a stride below 1. (keras.ops.extract_sequences)
Tensor extract_sequences(const Tensor& x, std::int64_t sequence_length, std::int64_t sequence_stride);

/// The factors of a sequence before its transform: none, those that "hann" or "hamming" name, or a tensor [N].
using SequenceWindow = std::variant<std::monostate, std::string, Tensor>;

/// The short-time Fourier transform: `rfft`, of length `fft_length`, of sequences that begin every `sequence_stride`
/// elements, multiplied by the window, which is in the middle of `fft_length`: [..., T] -> [..., sequences,
/// fft_length / 2 + 1]. With `center` x is mirrored at both ends first, so that sequence i has element
/// i · sequence_stride in its middle. Throws TypeError for dtypes other than float32 and float64, ValueError for a
/// stride below 1, a sequence longer than `fft_length` and a window of another name or length. (keras.ops.stft)
ComplexTensor stft(const Tensor& x, std::int64_t sequence_length, std::int64_t sequence_stride, std::int64_t fft_length,
                   const SequenceWindow& window = "hann", bool center = true);
/// The inverse of `stft` with the same arguments, by overlapping sums (Griffin and Lim, 1984); `length` elements, by
/// default as many as there are. Throws ValueError as `stft`. (keras.ops.istft)
Tensor istft(const ComplexTensor& x, std::int64_t sequence_length, std::int64_t sequence_stride,
             std::int64_t fft_length, std::optional<std::int64_t> length = std::nullopt,
             const SequenceWindow& window = "hann", bool center = true);

/// Inputs and outputs {real part, imaginary part}: the transform of the last axis; `inverse` with e^(+2πi n k / N),
/// not divided by N.
class FftOp final : public Op {
 public:
  explicit FftOp(bool inverse) : inverse(inverse) {}
  std::string_view name() const override { return "FFT"; }
  std::vector<TensorSpec> infer(std::span<const TensorSpec> inputs) const override;
  std::vector<Tensor> gradient(const GradientArguments& arguments) const override;
  BatchRule batch_rule(std::span<const TensorSpec> inputs, std::span<const int> batch_axes) const override;
  std::string attributes() const override;
  double flops(std::span<const TensorSpec> inputs, std::span<const TensorSpec> outputs) const override;

  const bool inverse;
};

/// The frequencies 0 to N / 2 of the transform of real numbers: [..., N] -> {real part, imaginary part}
/// [..., N / 2 + 1]. N is at least 1.
class RfftOp final : public Op {
 public:
  std::string_view name() const override { return "RFFT"; }
  std::vector<TensorSpec> infer(std::span<const TensorSpec> inputs) const override;
  std::vector<Tensor> gradient(const GradientArguments& arguments) const override;
  BatchRule batch_rule(std::span<const TensorSpec> inputs, std::span<const int> batch_axes) const override;
  double flops(std::span<const TensorSpec> inputs, std::span<const TensorSpec> outputs) const override;
};

/// The inverse of `RfftOp`, divided by N: {real part, imaginary part} [..., N / 2 + 1] -> [..., N], where N is
/// `length`. The imaginary parts of frequencies 0 and N / 2 do not count.
class IrfftOp final : public Op {
 public:
  explicit IrfftOp(std::int64_t length) : length(length) {}
  std::string_view name() const override { return "IRFFT"; }
  std::vector<TensorSpec> infer(std::span<const TensorSpec> inputs) const override;
  std::vector<Tensor> gradient(const GradientArguments& arguments) const override;
  BatchRule batch_rule(std::span<const TensorSpec> inputs, std::span<const int> batch_axes) const override;
  std::string attributes() const override;
  double flops(std::span<const TensorSpec> inputs, std::span<const TensorSpec> outputs) const override;

  const std::int64_t length;
};

}  // namespace ops
}  // namespace rhyton
