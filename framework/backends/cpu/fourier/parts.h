#pragma once

#include <cstdint>

namespace rhyton::cpu {

/// The real and the imaginary parts of complex numbers.
template <class T>
struct Parts {
  T* real = nullptr;
  T* imaginary = nullptr;

  Parts at(std::int64_t i) const { return {real + i, imaginary + i}; }
  Parts swapped() const { return {imaginary, real}; }
  operator Parts<const T>() const { return {real, imaginary}; }
};

}  // namespace rhyton::cpu
