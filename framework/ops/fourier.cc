#include <rhyton/framework/ops/fourier.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/attribute_text.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/indexing.h>
#include <rhyton/framework/ops/rearranging.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/shaping.h>

namespace rhyton {
inline namespace ops {
namespace {

void require_complex(const ComplexTensor& x, int rank) {
  const auto& [real, imaginary] = x;
  if (real.shape() != imaginary.shape()) {
    throw ValueError(
        "Input `x` should be a tuple of two tensors - real and imaginary. Both the real and imaginary parts should "
        "have the same shape. Received: x[0].shape = " +
        real.shape().to_string() + ", x[1].shape = " + imaginary.shape().to_string());
  }
  if (!is_floating(real.dtype()) || !is_floating(imaginary.dtype())) {
    throw ValueError("At least one tensor in input `x` is not of type float. Received: x[0].dtype = " +
                     std::string(name_of(real.dtype())) + ", x[1].dtype = " + std::string(name_of(imaginary.dtype())));
  }
  if (real.rank() < rank) {
    throw ValueError("Input should have rank >= " + std::to_string(rank) +
                     ". Received: input.shape = " + real.shape().to_string());
  }
}

ComplexTensor transformed(const ComplexTensor& x, bool inverse) {
  const std::vector<Tensor> outputs = call_many<FftOp>({x.first, x.second}, inverse);
  return {outputs[0], outputs[1]};
}

/// Requires one or two inputs: real numbers, or the parts of complex ones, whose last axis is transformed.
void require_parts(std::span<const TensorSpec> inputs, std::string_view op) {
  for (const TensorSpec& input : inputs) {
    if (input.shape != inputs[0].shape || input.dtype != inputs[0].dtype || input.shape.rank() < 1) {
      throw InvalidArgumentError(
          "The parts of complex numbers need one shape of rank 1 or more and one dtype. Received: " +
          inputs[0].shape.to_string() + " and " + input.shape.to_string());
    }
  }
  if (!is_floating(inputs[0].dtype)) {
    throw InvalidArgumentError(
        std::string(op) + " takes tensors of a floating dtype. Received: " + std::string(name_of(inputs[0].dtype)));
  }
}

TensorSpec with_last_length(const TensorSpec& spec, std::int64_t length) {
  return {spec.shape.slice(0, spec.shape.rank() - 1).concatenate({length}), spec.dtype};
}

BatchRule rule_of_rows(std::span<const TensorSpec> inputs, std::span<const int> batch_axes) {
  const bool is_batch = std::ranges::all_of(batch_axes, [&](int axis) { return axis == batch_axes[0]; }) &&
                        batch_axes[0] < inputs[0].shape.rank() - 1;
  return is_batch ? BatchRule::maps(batch_axes[0]) : BatchRule::mixes();
}

/// Of a complex transform of rows of that length.
double flops_of_rows(const Shape& shape, std::int64_t length) {
  const double rows = static_cast<double>(shape.size()) / static_cast<double>(std::max<std::int64_t>(shape.at(-1), 1));
  return 5.0 * rows * static_cast<double>(length) * std::log2(static_cast<double>(std::max<std::int64_t>(length, 2)));
}

/// Of the frequencies 0 to N / 2: `middle` for those that stand for two, 1 for frequencies 0 and N / 2.
Tensor frequency_weights(std::int64_t length, double middle, DType dtype) {
  std::vector<double> weights(static_cast<std::size_t>(length / 2 + 1), middle);
  weights.front() = 1.0;
  if (length % 2 == 0) weights.back() = 1.0;
  return cast(Tensor::from_data({length / 2 + 1}, weights), dtype);
}

/// The gradient of an output, zeros where there is none.
Tensor output_gradient(const GradientArguments& arguments, std::size_t i) {
  const Tensor& gradient = arguments.output_gradients[i];
  return gradient.is_empty() ? zeros_like(arguments.outputs[i]) : gradient;
}

ComplexTensor with_swapped_axes(const ComplexTensor& x) {
  return {swapaxes(x.first, -2, -1), swapaxes(x.second, -2, -1)};
}

ComplexTensor transformed_twice(const ComplexTensor& x, bool inverse) {
  return with_swapped_axes(transformed(with_swapped_axes(transformed(x, inverse)), inverse));
}

/// Paddings of the last axis alone.
std::vector<std::pair<std::int64_t, std::int64_t>> border_of_last(int rank, std::int64_t before, std::int64_t after) {
  std::vector<std::pair<std::int64_t, std::int64_t>> border(static_cast<std::size_t>(rank), {0, 0});
  border.back() = {before, after};
  return border;
}

/// The last axis with another length: cut, or filled with zeros.
Tensor with_last_length(const Tensor& x, std::int64_t length) {
  const std::int64_t given = x.shape().at(-1);
  if (given == length) return x;
  if (given > length) return slice_axis(x, -1, 0, length);
  return pad(x, border_of_last(x.rank(), 0, length - given));
}

void require_length(std::int64_t length) {
  if (length < 1) {
    throw InvalidArgumentError("The length of a Fourier transform has to be positive. Received: fft_length=" +
                               std::to_string(length));
  }
}

void require_stride(std::int64_t stride) {
  if (stride < 1) {
    throw ValueError("`sequence_stride` must be a positive integer. Received: sequence_stride=" +
                     std::to_string(stride));
  }
}

/// TensorFlow's periodic window of raised cosines: of an odd length it is the symmetric one.
Tensor raised_cosine_window(std::int64_t length, double mean, DType dtype) {
  std::vector<double> factors(static_cast<std::size_t>(length), 1.0);
  const std::int64_t period = length % 2 == 0 ? length : length - 1;
  for (std::int64_t i = 0; length > 1 && i < length; ++i) {
    const double angle = 2.0 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(period);
    factors[static_cast<std::size_t>(i)] = mean - (1.0 - mean) * std::cos(angle);
  }
  return cast(Tensor::from_data({length}, factors), dtype);
}

/// The window in the middle of `fft_length` elements; an empty tensor for none.
Tensor window_of(const SequenceWindow& window, std::int64_t sequence_length, std::int64_t fft_length, DType dtype) {
  if (std::holds_alternative<std::monostate>(window)) return {};
  Tensor factors;
  if (const auto* const name = std::get_if<std::string>(&window)) {
    if (*name != "hann" && *name != "hamming") {
      throw ValueError(
          "If a string is passed to `window`, it must be one of `\"hann\"`, `\"hamming\"`. Received: window=" + *name);
    }
    factors = raised_cosine_window(sequence_length, *name == "hann" ? 0.5 : 0.54, dtype);
  } else {
    factors = cast(std::get<Tensor>(window), dtype);
  }
  if (factors.rank() != 1 || factors.size() != sequence_length) {
    throw ValueError("The shape of `window` must be equal to [sequence_length]. Received: window shape=" +
                     factors.shape().to_string());
  }
  const std::int64_t before = (fft_length - sequence_length) / 2;
  return pad(factors, {{before, fft_length - sequence_length - before}});
}

void require_fitting_sequence(std::int64_t sequence_length, std::int64_t fft_length) {
  if (sequence_length < 1) {
    throw ValueError("`sequence_length` must be a positive integer. Received: sequence_length=" +
                     std::to_string(sequence_length));
  }
  if (fft_length < sequence_length) {
    throw ValueError("`fft_length` must equal or larger than `sequence_length`. Received: sequence_length=" +
                     std::to_string(sequence_length) + ", fft_length=" + std::to_string(fft_length));
  }
}

std::int64_t quotient_rounded_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// The window that makes overlapping sums of windows the original: w / Σ w², with the sum over all sequences.
Tensor inverse_window(const Tensor& window, std::int64_t stride) {
  const std::int64_t length = window.size();
  const std::int64_t overlaps = quotient_rounded_up(length, stride);
  const Tensor squares = reshape(with_last_length(square(window), overlaps * stride), {overlaps, stride});
  const Tensor sums = slice_axis(tile(sum(squares, {0}), {overlaps}), 0, 0, length);
  const Tensor is_zero = equal(sums, 0.0);
  return where(is_zero, 0.0, window / where(is_zero, 1.0, sums));
}

/// [..., F, L] -> [..., (F - 1) stride + L]: the sequences added where they overlap.
Tensor overlapping_sums(const Tensor& sequences, std::int64_t stride) {
  const std::int64_t count = sequences.shape().at(-2);
  const std::int64_t length = sequences.shape().at(-1);
  const std::int64_t overlaps = quotient_rounded_up(length, stride);
  const Tensor filled = with_last_length(sequences, overlaps * stride);
  const Shape flat = sequences.shape().slice(0, sequences.rank() - 2).concatenate({count * stride});
  Tensor total;
  for (std::int64_t i = 0; i < overlaps; ++i) {
    const Tensor part = pad(reshape(slice_axis(filled, -1, i * stride, (i + 1) * stride), flat),
                            border_of_last(flat.rank(), i * stride, (overlaps - 1 - i) * stride));
    total = total.is_empty() ? part : total + part;
  }
  return slice_axis(total, -1, 0, std::max<std::int64_t>((count - 1) * stride + length, 0));
}

}  // namespace

ComplexTensor fft(const ComplexTensor& x) {
  require_complex(x, 1);
  return transformed(x, false);
}

ComplexTensor fft2(const ComplexTensor& x) {
  require_complex(x, 2);
  return transformed_twice(x, false);
}

ComplexTensor ifft2(const ComplexTensor& x) {
  require_complex(x, 2);
  const ComplexTensor y = transformed_twice(x, true);
  const auto elements = static_cast<double>(x.first.shape().at(-2) * x.first.shape().at(-1));
  return {y.first / elements, y.second / elements};
}

ComplexTensor rfft(const Tensor& x, std::optional<std::int64_t> fft_length) {
  if (x.rank() < 1) throw ValueError("Input should have rank >= 1. Received: input.shape = ()");
  const std::int64_t length = fft_length.value_or(x.shape().at(-1));
  require_length(length);
  const std::vector<Tensor> outputs = call_many<RfftOp>({with_last_length(x, length)});
  return {outputs[0], outputs[1]};
}

Tensor irfft(const ComplexTensor& x, std::optional<std::int64_t> fft_length) {
  require_complex(x, 1);
  const std::int64_t length = fft_length.value_or(2 * (x.first.shape().at(-1) - 1));
  require_length(length);
  const std::int64_t frequencies = length / 2 + 1;
  return call<IrfftOp>({with_last_length(x.first, frequencies), with_last_length(x.second, frequencies)}, length);
}

Tensor extract_sequences(const Tensor& x, std::int64_t sequence_length, std::int64_t sequence_stride) {
  if (x.rank() < 1) throw ValueError("Input should have rank >= 1. Received: input.shape = ()");
  if (sequence_length < 0) {
    throw ValueError("`sequence_length` must not be negative. Received: sequence_length=" +
                     std::to_string(sequence_length));
  }
  require_stride(sequence_stride);
  const std::int64_t rest = x.shape().at(-1) - sequence_length;
  const std::int64_t count = rest < 0 ? 0 : 1 + rest / sequence_stride;
  std::vector<std::int64_t> positions;
  for (std::int64_t i = 0; i < count; ++i) {
    for (std::int64_t k = 0; k < sequence_length; ++k) positions.push_back(i * sequence_stride + k);
  }
  return take(x, Tensor::from_data({count, sequence_length}, positions), -1);
}

ComplexTensor stft(const Tensor& x, std::int64_t sequence_length, std::int64_t sequence_stride, std::int64_t fft_length,
                   const SequenceWindow& window, bool center) {
  require_stride(sequence_stride);
  if (x.dtype() != DType::float32 && x.dtype() != DType::float64) {
    throw TypeError("Invalid input type. Expected `float32` or `float64`. Received: input type=" +
                    std::string(name_of(x.dtype())));
  }
  require_fitting_sequence(sequence_length, fft_length);
  const Tensor factors = window_of(window, sequence_length, fft_length, x.dtype());
  if (x.rank() < 1) throw ValueError("Input should have rank >= 1. Received: input.shape = ()");
  const Tensor padded = center ? pad(x, border_of_last(x.rank(), fft_length / 2, fft_length / 2), PadMode::reflect) : x;
  const Tensor sequences = extract_sequences(padded, fft_length, sequence_stride);
  return rfft(factors.is_empty() ? sequences : sequences * factors, fft_length);
}

Tensor istft(const ComplexTensor& x, std::int64_t sequence_length, std::int64_t sequence_stride,
             std::int64_t fft_length, std::optional<std::int64_t> length, const SequenceWindow& window, bool center) {
  require_stride(sequence_stride);
  require_complex(x, 2);
  require_fitting_sequence(sequence_length, fft_length);
  const Tensor factors = window_of(window, sequence_length, fft_length, x.first.dtype());
  Tensor sequences = irfft(x, fft_length);
  if (!factors.is_empty()) sequences = sequences * inverse_window(factors, sequence_stride);
  const Tensor signal = overlapping_sums(sequences, sequence_stride);
  const std::int64_t begin = center ? fft_length / 2 : 0;
  const std::int64_t all = signal.shape().at(-1);
  const std::int64_t end = length ? begin + *length : all - begin;
  return slice_axis(signal, -1, std::min(begin, all), std::clamp(end, std::min(begin, all), all));
}

std::vector<TensorSpec> FftOp::infer(std::span<const TensorSpec> inputs) const {
  require_parts(inputs, name());
  return {inputs[0], inputs[1]};
}

std::vector<Tensor> FftOp::gradient(const GradientArguments& arguments) const {
  const auto [real, imaginary] = transformed({output_gradient(arguments, 0), output_gradient(arguments, 1)}, !inverse);
  return {real, imaginary};
}

BatchRule FftOp::batch_rule(std::span<const TensorSpec> inputs, std::span<const int> batch_axes) const {
  return rule_of_rows(inputs, batch_axes);
}

std::string FftOp::attributes() const { return attribute("inverse", inverse); }

double FftOp::flops(std::span<const TensorSpec> inputs, std::span<const TensorSpec>) const {
  return flops_of_rows(inputs[0].shape, inputs[0].shape.at(-1));
}

std::vector<TensorSpec> RfftOp::infer(std::span<const TensorSpec> inputs) const {
  require_parts(inputs, name());
  const std::int64_t length = inputs[0].shape.at(-1);
  require_length(length);
  const TensorSpec half = with_last_length(inputs[0], length / 2 + 1);
  return {half, half};
}

std::vector<Tensor> RfftOp::gradient(const GradientArguments& arguments) const {
  const std::int64_t length = arguments.inputs[0].shape().at(-1);
  const Tensor weights = frequency_weights(length, 0.5, arguments.inputs[0].dtype()) * static_cast<double>(length);
  return {call<IrfftOp>({output_gradient(arguments, 0) * weights, output_gradient(arguments, 1) * weights}, length)};
}

BatchRule RfftOp::batch_rule(std::span<const TensorSpec> inputs, std::span<const int> batch_axes) const {
  return rule_of_rows(inputs, batch_axes);
}

double RfftOp::flops(std::span<const TensorSpec> inputs, std::span<const TensorSpec>) const {
  return 0.5 * flops_of_rows(inputs[0].shape, inputs[0].shape.at(-1));
}

std::vector<TensorSpec> IrfftOp::infer(std::span<const TensorSpec> inputs) const {
  require_parts(inputs, name());
  require_length(length);
  if (inputs[0].shape.at(-1) != length / 2 + 1) {
    throw InvalidArgumentError("IRFFT of length " + std::to_string(length) + " takes " +
                               std::to_string(length / 2 + 1) +
                               " frequencies. Received: " + inputs[0].shape.to_string());
  }
  return {with_last_length(inputs[0], length)};
}

std::vector<Tensor> IrfftOp::gradient(const GradientArguments& arguments) const {
  const std::vector<Tensor> frequencies = call_many<RfftOp>({arguments.output_gradients[0]});
  const Tensor weights = frequency_weights(length, 2.0, arguments.inputs[0].dtype()) / static_cast<double>(length);
  return {frequencies[0] * weights, frequencies[1] * weights};
}

BatchRule IrfftOp::batch_rule(std::span<const TensorSpec> inputs, std::span<const int> batch_axes) const {
  return rule_of_rows(inputs, batch_axes);
}

std::string IrfftOp::attributes() const { return attribute("length", length); }

double IrfftOp::flops(std::span<const TensorSpec> inputs, std::span<const TensorSpec>) const {
  return 0.5 * flops_of_rows(inputs[0].shape, length);
}

}  // namespace ops
}  // namespace rhyton
