#pragma once

#include <cstddef>
#include <cstdint>

#include <Eigen/Core>

namespace rhyton::cpu {

/// Elements in memory as an Eigen array of fixed length, whose expressions are computed in whole packets.
template <class T, int length>
using ArrayMap = Eigen::Map<Eigen::Array<T, length, 1>>;

template <class T, int length>
using ConstArrayMap = Eigen::Map<const Eigen::Array<T, length, 1>>;

/// The first `count` of `length` elements; the others are `filling`.
template <int length, class T>
Eigen::Array<T, length, 1> load_padded(const T* x, std::int64_t count, T filling) {
  Eigen::Array<T, length, 1> array = Eigen::Array<T, length, 1>::Constant(filling);
  for (std::int64_t i = 0; i < count; ++i) array[i] = x[i];
  return array;
}

/// e^x, and 0 where that is smaller than any normal number. In most instruction sets Eigen's own function never returns
/// less than e^-89 (e^-710), not even for -∞.
template <class T, int length>
Eigen::Array<T, length, 1> exponential(const Eigen::Array<T, length, 1>& x) {
  constexpr T lowest = static_cast<T>(sizeof(T) == 4 ? -87.336544 : -708.39641853226408);
  Eigen::Array<T, length, 1> y = x.exp();
  for (int i = 0; i < length; ++i) y[i] = x[i] < lowest ? T(0) : y[i];
  return y;
}

/// y[i] = f(x[i]…), where f returns an Eigen expression of arrays; y may be one of x.
///
/// Packets and single numbers differ in the last bit for exp, tanh and the like. So everything, including the end of
/// the arrays, is computed in packets: the result for an element depends on its value and not on its position, and a
/// batch gives the same bits in one piece and in slices.
template <class T, class Function, class... X>
void map_packets(std::int64_t size, T* y, const Function& f, const X*... x) {
  constexpr int chunk = 64;
  constexpr int packet = 16;
  std::int64_t i = 0;
  for (; i + chunk <= size; i += chunk) {
    const Eigen::Array<T, chunk, 1> result = f(Eigen::Array<T, chunk, 1>(ConstArrayMap<T, chunk>(x + i))...);
    ArrayMap<T, chunk>(y + i) = result;
  }
  for (; i < size; i += packet) {
    const std::int64_t count = size - i < packet ? size - i : packet;
    const Eigen::Array<T, packet, 1> result = f(load_padded<packet>(x + i, count, T(1))...);
    for (std::int64_t k = 0; k < count; ++k) y[i + k] = result[k];
  }
}

}  // namespace rhyton::cpu
