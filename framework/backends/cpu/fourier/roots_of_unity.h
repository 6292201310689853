#pragma once

#include <complex>
#include <cstdint>
#include <vector>

namespace rhyton::cpu {

/// e^(-2πi k / count), to the last bit or nearly so; k from 0 to count.
std::complex<double> root_of_unity(std::int64_t k, std::int64_t count);

/// The same for k from 0 to count - 1; of more than 4096 with an error of up to two units in the last place.
std::vector<std::complex<double>> roots_of_unity(std::int64_t count);

/// A product without the search for infinities of the standard's operator.
template <class T>
std::complex<T> product(const std::complex<T>& a, const std::complex<T>& b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

}  // namespace rhyton::cpu
