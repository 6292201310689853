// The Fourier transforms of keras.ops on symbolic tensors.

#include <rhyton/layers/operations/fourier.h>

#include <string>
#include <utility>
#include <vector>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/fourier.h>
#include <rhyton/layers/operations/operation.h>
#include <rhyton/layers/operations/tables.h>

namespace rhyton {
namespace layers {
namespace {

ComplexTensor complex_of(const std::vector<Tensor>& parts) {
  if (parts.size() != 2) {
    throw ValueError("Input `x` should be a tuple of two tensors - real and imaginary. Received: " +
                     std::to_string(parts.size()) + " tensors");
  }
  return {parts[0], parts[1]};
}

Operation of_complex(const char* class_name, ComplexTensor (*function)(const ComplexTensor&)) {
  return {class_name, "ops.math", {"x"}, {}, [function](const std::vector<Argument>& arguments) {
            const auto [real, imaginary] = function(complex_of(ArgumentValue<std::vector<Tensor>>::from(arguments[0])));
            return std::vector<Tensor>{real, imaginary};
          }};
}

SequenceWindow sequence_window_of(const Argument& window) {
  if (window.is_none()) return {};
  if (window.is_string()) return window.string();
  return window.tensor();
}

}  // namespace

std::vector<Operation> fourier_operations() {
  const std::string module = "ops.math";
  return {
      of_complex("FFT", [](const ComplexTensor& x) { return fft(x); }),
      of_complex("FFT2", [](const ComplexTensor& x) { return fft2(x); }),
      of_complex("IFFT2", [](const ComplexTensor& x) { return ifft2(x); }),
      {"RFFT",
       module,
       {"x"},
       {{"fft_length", {}}},
       computes([](const Tensor& x, std::optional<std::int64_t> fft_length) { return rfft(x, fft_length); })},
      {"IRFFT",
       module,
       {"x"},
       {{"fft_length", {}}},
       computes([](const std::vector<Tensor>& x, std::optional<std::int64_t> fft_length) {
         return irfft(complex_of(x), fft_length);
       })},
      {"ExtractSequences",
       module,
       {"x"},
       {{"sequence_length", {}}, {"sequence_stride", {}}},
       computes([](const Tensor& x, std::int64_t length, std::int64_t stride) {
         return extract_sequences(x, length, stride);
       })},
      {"STFT",
       module,
       {"x"},
       {{"sequence_length", {}}, {"sequence_stride", {}}, {"fft_length", {}}, {"window", "hann"}, {"center", true}},
       computes([](const Tensor& x, std::int64_t length, std::int64_t stride, std::int64_t fft_length,
                   const Argument& window,
                   bool center) { return stft(x, length, stride, fft_length, sequence_window_of(window), center); })},
      {"ISTFT",
       module,
       {"x"},
       {{"sequence_length", {}},
        {"sequence_stride", {}},
        {"fft_length", {}},
        {"length", {}},
        {"window", "hann"},
        {"center", true}},
       computes([](const std::vector<Tensor>& x, std::int64_t sequence_length, std::int64_t stride,
                   std::int64_t fft_length, std::optional<std::int64_t> length, const Argument& window, bool center) {
         return istft(complex_of(x), sequence_length, stride, fft_length, length, sequence_window_of(window), center);
       })},
  };
}

namespace {

Argument parts_of(const SymbolicComplexTensor& x) { return Argument::List{x.first, x.second}; }

SymbolicComplexTensor complex_output(const char* class_name, const Argument& x, std::vector<Argument> options = {}) {
  const std::vector<SymbolicTensor> outputs = call_operation(class_name, {x}, std::move(options));
  return {outputs.at(0), outputs.at(1)};
}

}  // namespace
}  // namespace layers

inline namespace ops {

using layers::Argument;
using layers::argument_of;
using layers::operation_output;
using layers::SymbolicTensor;

SymbolicComplexTensor fft(const SymbolicComplexTensor& x) { return layers::complex_output("FFT", layers::parts_of(x)); }
SymbolicComplexTensor fft2(const SymbolicComplexTensor& x) {
  return layers::complex_output("FFT2", layers::parts_of(x));
}
SymbolicComplexTensor ifft2(const SymbolicComplexTensor& x) {
  return layers::complex_output("IFFT2", layers::parts_of(x));
}
SymbolicComplexTensor rfft(const SymbolicTensor& x, std::optional<std::int64_t> fft_length) {
  return layers::complex_output("RFFT", x, {argument_of(fft_length)});
}
SymbolicTensor irfft(const SymbolicComplexTensor& x, std::optional<std::int64_t> fft_length) {
  return operation_output("IRFFT", {layers::parts_of(x)}, {argument_of(fft_length)});
}
SymbolicTensor extract_sequences(const SymbolicTensor& x, std::int64_t sequence_length, std::int64_t sequence_stride) {
  return operation_output("ExtractSequences", {x}, {sequence_length, sequence_stride});
}
SymbolicComplexTensor stft(const SymbolicTensor& x, std::int64_t sequence_length, std::int64_t sequence_stride,
                           std::int64_t fft_length, const Argument& window, bool center) {
  return layers::complex_output("STFT", x, {sequence_length, sequence_stride, fft_length, window, center});
}
SymbolicTensor istft(const SymbolicComplexTensor& x, std::int64_t sequence_length, std::int64_t sequence_stride,
                     std::int64_t fft_length, std::optional<std::int64_t> length, const Argument& window, bool center) {
  return operation_output("ISTFT", {layers::parts_of(x)},
                          {sequence_length, sequence_stride, fft_length, argument_of(length), window, center});
}

}  // namespace ops
}  // namespace rhyton
