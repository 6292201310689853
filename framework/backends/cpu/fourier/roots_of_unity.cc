#include <rhyton/framework/backends/cpu/fourier/roots_of_unity.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>

namespace rhyton::cpu {
namespace {

/// π / 2, and what it lacks.
constexpr double quarter_turn = 0.5 * std::numbers::pi;
constexpr double quarter_turn_rest = 6.123233995736766e-17;

constexpr std::int64_t many = 1 << 12;

/// As products of roots: a few times as fast as the others.
std::vector<std::complex<double>> many_roots_of_unity(std::int64_t count) {
  constexpr std::int64_t block = 256;
  std::vector<std::complex<double>> fine;
  for (std::int64_t k = 0; k < block; ++k) fine.push_back(root_of_unity(k, count));
  std::vector<std::complex<double>> roots;
  roots.reserve(static_cast<std::size_t>(count));
  for (std::int64_t first = 0; first < count; first += block) {
    const std::complex<double> coarse = root_of_unity(first, count);
    for (std::int64_t k = 0; k < std::min(block, count - first); ++k) {
      roots.push_back(product(coarse, fine[static_cast<std::size_t>(k)]));
    }
  }
  return roots;
}

}  // namespace

std::complex<double> root_of_unity(std::int64_t k, std::int64_t count) {
  // An angle of at most an eighth of the circle from the nearest quarter.
  const std::int64_t quarters = (8 * k + count) / (2 * count);
  const auto divisor = static_cast<double>(count);
  const auto dividend = static_cast<double>(4 * k - quarters * count);
  const double ratio = dividend / divisor;
  const double angle = quarter_turn * ratio;
  // What rounding took from the angle.
  const double rest = std::fma(quarter_turn, ratio, -angle) + quarter_turn_rest * ratio +
                      quarter_turn * std::fma(-ratio, divisor, dividend) / divisor;
  const double rounded_cosine = std::cos(angle);
  const double rounded_sine = std::sin(angle);
  const double cosine = rounded_cosine - rest * rounded_sine;
  const double sine = rounded_sine + rest * rounded_cosine;
  switch (quarters % 4) {
    case 0:
      return {cosine, -sine};
    case 1:
      return {-sine, -cosine};
    case 2:
      return {-cosine, sine};
    default:
      return {sine, cosine};
  }
}

std::vector<std::complex<double>> roots_of_unity(std::int64_t count) {
  if (count > many) return many_roots_of_unity(count);
  std::vector<std::complex<double>> roots(static_cast<std::size_t>(count));
  const auto set = [&](std::int64_t k, const std::complex<double>& root) {
    roots[static_cast<std::size_t>(k)] = root;
    if (k > 0) roots[static_cast<std::size_t>(count - k)] = std::conj(root);
  };
  const std::int64_t quarter = count / 4;
  const bool has_quarters = count % 4 == 0;
  for (std::int64_t k = 0; k <= (has_quarters ? count / 8 : count / 2); ++k) {
    const std::complex<double> root = root_of_unity(k, count);
    set(k, root);
    if (has_quarters) {
      set(quarter - k, {-root.imag(), -root.real()});
      set(quarter + k, {root.imag(), -root.real()});
      set(2 * quarter - k, {-root.real(), root.imag()});
    }
  }
  return roots;
}

}  // namespace rhyton::cpu
