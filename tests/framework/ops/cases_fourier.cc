#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <rhyton/framework/ops/fourier.h>
#include <rhyton/tests/framework/ops/conformance_case.h>

namespace rhyton::conformance {
namespace {

using Inputs = std::vector<Tensor>;

Inputs parts_of(const ComplexTensor& x) { return {x.first, x.second}; }

/// A function of complex numbers with complex results.
Case of_complex(const std::string& name, const Shape& shape, ComplexTensor (*function)(const ComplexTensor&)) {
  return {.name = name,
          .call =
              [=](const Inputs& x) {
                return parts_of(function({x[0], x[1]}));
              },
          .inputs = {{.shape = shape}, {.shape = shape}}};
}

Case of_real(const std::string& name, const Shape& shape, std::function<Inputs(const Tensor&)> function) {
  return {.name = name,
          .call = [function = std::move(function)](const Inputs& x) { return function(x[0]); },
          .inputs = {{.shape = shape}}};
}

Case to_real(const std::string& name, const Shape& shape, std::function<Tensor(const ComplexTensor&)> function) {
  return {.name = name,
          .call =
              [function = std::move(function)](const Inputs& x) {
                return one(function({x[0], x[1]}));
              },
          .inputs = {{.shape = shape}, {.shape = shape}}};
}

/// Not for half types: `stft` takes float32 and float64.
Case of_floats(Case test) {
  test.takes_halves = false;
  return test;
}

}  // namespace

std::vector<Case> fourier_cases() {
  return {
      of_complex("fft_of_a_power_of_2", {2, 8}, &fft),
      of_complex("fft_of_a_prime", {7}, &fft),
      of_complex("fft_of_one", {3, 1}, &fft),
      of_complex("fft2", {2, 3, 4}, &fft2),
      of_complex("ifft2", {2, 4, 3}, &ifft2),
      of_real("rfft_even", {2, 6}, [](const Tensor& x) { return parts_of(rfft(x)); }),
      of_real("rfft_odd", {5}, [](const Tensor& x) { return parts_of(rfft(x)); }),
      of_real("rfft_of_one", {2, 1}, [](const Tensor& x) { return parts_of(rfft(x)); }),
      of_real("rfft_longer", {2, 3}, [](const Tensor& x) { return parts_of(rfft(x, 8)); }),
      of_real("rfft_shorter", {2, 6}, [](const Tensor& x) { return parts_of(rfft(x, 5)); }),
      to_real("irfft", {2, 4}, [](const ComplexTensor& x) { return irfft(x); }),
      to_real("irfft_odd", {2, 4}, [](const ComplexTensor& x) { return irfft(x, 7); }),
      to_real("irfft_of_two", {3, 2}, [](const ComplexTensor& x) { return irfft(x); }),
      to_real("irfft_longer", {3}, [](const ComplexTensor& x) { return irfft(x, 8); }),
      to_real("irfft_shorter", {2, 5}, [](const ComplexTensor& x) { return irfft(x, 3); }),
      of_real("extract_sequences", {2, 9}, [](const Tensor& x) { return one(extract_sequences(x, 4, 2)); }),
      of_floats(of_real("stft", {2, 12}, [](const Tensor& x) { return parts_of(stft(x, 5, 3, 8)); })),
      of_floats(
          of_real("stft_without_window", {12}, [](const Tensor& x) { return parts_of(stft(x, 4, 4, 4, {}, false)); })),
      of_floats(to_real("istft", {2, 4, 5}, [](const ComplexTensor& x) { return istft(x, 6, 2, 8); })),
      of_floats(to_real("istft_of_a_length", {3, 5},
                        [](const ComplexTensor& x) { return istft(x, 8, 5, 8, 10, "hamming", false); })),
  };
}

}  // namespace rhyton::conformance
