#pragma once

#include <cstdint>

#include <rhyton/framework/backends/cpu/primitives/exponential.h>
#include <rhyton/framework/backends/cpu/primitives/vector.h>
#include <rhyton/framework/ops/recurrent.h>

namespace rhyton::cpu {

// The functions of recurrent cells, a register at a time. They are computed while a step's rows are in registers and
// the first-level cache, with few operations, within a unit or two of the last place.

/// 1 / (1 + e^-x). NaN stays NaN.
template <class T>
__attribute__((always_inline)) inline Vector<T> sigmoid_of(const Vector<T>& x) {
  constexpr T maximum = static_cast<T>(sizeof(T) == 4 ? 87.0 : 708.0);
  Vector<T> y = -x;
  y = y > maximum ? Vector<T>{} + maximum : y;
  y = y < -maximum ? Vector<T>{} - maximum : y;
  const ExponentialParts<T> parts = exponential_parts<T>(y);
  return T(1) / (T(1) + (parts.power + parts.rest));
}

/// f(x).
template <class T>
__attribute__((always_inline)) inline Vector<T> activated(RecurrentActivation f, const Vector<T>& x) {
  const Vector<T> zero{};
  const Vector<T> one = zero + T(1);
  switch (f) {
    case RecurrentActivation::tanh:
      return tanh_of<T>(x);
    case RecurrentActivation::sigmoid:
      return sigmoid_of<T>(x);
    case RecurrentActivation::relu:
      return x < zero ? zero : x;
    case RecurrentActivation::hard_sigmoid: {
      const Vector<T> y = x * static_cast<T>(1.0 / 6) + T(0.5);
      const Vector<T> above = y < zero ? zero : y;
      return above > one ? one : above;
    }
    case RecurrentActivation::linear:
      break;
  }
  return x;
}

/// The derivative of f where its value is y.
template <class T>
__attribute__((always_inline)) inline Vector<T> slope(RecurrentActivation f, const Vector<T>& y) {
  const Vector<T> zero{};
  const Vector<T> one = zero + T(1);
  switch (f) {
    case RecurrentActivation::tanh:
      return T(1) - y * y;
    case RecurrentActivation::sigmoid:
      return y * (T(1) - y);
    case RecurrentActivation::relu:
      return y > zero ? one : zero;
    case RecurrentActivation::hard_sigmoid:
      return ((y > zero) & (y < one)) ? zero + static_cast<T>(1.0 / 6) : zero;
    case RecurrentActivation::linear:
      break;
  }
  return one;
}

/// The functions of a cell that are known when it runs.
template <class T>
class AnyFunctions {
 public:
  explicit AnyFunctions(const RecurrentAttributes& cell) : cell_(cell) {}

  __attribute__((always_inline)) Vector<T> a(const Vector<T>& x) const { return activated<T>(cell_.activation, x); }
  __attribute__((always_inline)) Vector<T> s(const Vector<T>& x) const {
    return activated<T>(cell_.recurrent_activation, x);
  }
  __attribute__((always_inline)) Vector<T> slope_of_a(const Vector<T>& y) const {
    return slope<T>(cell_.activation, y);
  }
  __attribute__((always_inline)) Vector<T> slope_of_s(const Vector<T>& y) const {
    return slope<T>(cell_.recurrent_activation, y);
  }

 private:
  const RecurrentAttributes& cell_;
};

/// Those that Keras's layers have by default, tanh and sigmoid, without branches.
template <class T>
class DefaultFunctions {
 public:
  explicit DefaultFunctions(const RecurrentAttributes&) {}

  static bool are_of(const RecurrentAttributes& cell) {
    return cell.activation == RecurrentActivation::tanh && cell.recurrent_activation == RecurrentActivation::sigmoid;
  }

  __attribute__((always_inline)) Vector<T> a(const Vector<T>& x) const { return tanh_of<T>(x); }
  __attribute__((always_inline)) Vector<T> s(const Vector<T>& x) const { return sigmoid_of<T>(x); }
  __attribute__((always_inline)) Vector<T> slope_of_a(const Vector<T>& y) const { return T(1) - y * y; }
  __attribute__((always_inline)) Vector<T> slope_of_s(const Vector<T>& y) const { return y * (T(1) - y); }
};

/// The elements of a row, a register at a time: calls function(first element, count), where the count is that of a
/// register except for the last.
template <class T, class Function>
__attribute__((always_inline)) inline void for_each_vector(std::int64_t units, Function&& function) {
  constexpr int length = vector_length<T>;
  std::int64_t first = 0;
  for (; first + length <= units; first += length) function(first, length);
  if (first < units) function(first, static_cast<int>(units - first));
}

}  // namespace rhyton::cpu
