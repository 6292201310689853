#include <rhyton/framework/ops/fourier.h>

#include <complex>
#include <cstddef>
#include <cstdint>

#include <rhyton/framework/backends/cpu/fourier/transform.h>
#include <rhyton/framework/backends/cpu/registration.h>

namespace rhyton::cpu {
namespace {

template <class T>
using Complex = std::complex<T>;

std::int64_t last_length(const TensorSpec& spec) { return spec.shape.at(-1); }

/// The numbers before and behind the transform, of one row.
template <class T>
std::size_t workspace_bytes(const Op&, Kernel::Specs inputs, Kernel::Specs) {
  return 2 * static_cast<std::size_t>(last_length(inputs[0])) * sizeof(Complex<T>);
}

template <class T>
void transform(const KernelArguments& arguments) {
  const std::int64_t length = last_length(arguments.inputs[0].spec);
  if (length == 0) return;
  const bool inverse = arguments.attributes<FftOp>().inverse;
  const std::int64_t rows = arguments.inputs[0].size() / length;
  auto* const from = static_cast<Complex<T>*>(arguments.workspace);
  Complex<T>* const to = from + length;
  const auto fourier = make_fourier_transform<T>(length, inverse);
  for (std::int64_t row = 0; row < rows; ++row) {
    const T* const real = arguments.inputs[0].as<T>() + row * length;
    const T* const imaginary = arguments.inputs[1].as<T>() + row * length;
    for (std::int64_t i = 0; i < length; ++i) from[i] = {real[i], imaginary[i]};
    fourier->run(to, from);
    T* const real_result = arguments.outputs[0].as<T>() + row * length;
    T* const imaginary_result = arguments.outputs[1].as<T>() + row * length;
    for (std::int64_t i = 0; i < length; ++i) {
      real_result[i] = to[i].real();
      imaginary_result[i] = to[i].imag();
    }
  }
}

template <class T>
void register_fft(KernelTable& table) {
  table.add("FFT", dtype_of<T>, {.run = &transform<T>, .workspace_bytes = &workspace_bytes<T>});
}

}  // namespace

void register_fourier_kernels(KernelTable& table) {
  register_fft<float>(table);
  register_fft<double>(table);
}

}  // namespace rhyton::cpu
