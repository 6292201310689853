#include <rhyton/framework/tensor/number_format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <string_view>
#include <vector>

namespace rhyton {
namespace {

constexpr int max_fraction_digits = 8;

template <class... Arguments>
std::string number_to_chars(Arguments... arguments) {
  std::array<char, 512> text{};
  const auto result = std::to_chars(text.data(), text.data() + text.size(), arguments...);
  return {text.data(), result.ptr};
}

/// The shortest digits that parse to `value` as a number of `dtype`, in scientific notation.
std::string shortest_scientific(double value, DType dtype) {
  if (dtype == DType::float64) return number_to_chars(value, std::chars_format::scientific);
  const auto narrow = static_cast<float>(value);
  if (dtype == DType::float32) return number_to_chars(narrow, std::chars_format::scientific);
  constexpr int enough_digits_for_half = 5;
  for (int digits = 0; digits < enough_digits_for_half; ++digits) {
    std::string text = number_to_chars(value, std::chars_format::scientific, digits);
    float read = 0.0F;
    std::from_chars(text.data(), text.data() + text.size(), read);
    if (Half(read).bits == Half(narrow).bits) return text;
  }
  return number_to_chars(value, std::chars_format::scientific, enough_digits_for_half);
}

/// A parsed number in scientific notation: "-1.25e-07" is "-1", "25", -7.
struct Scientific {
  explicit Scientific(std::string_view text) {
    const std::size_t mark = text.find('e');
    const std::size_t point = std::min(text.find('.'), mark);
    integer = std::string(text.substr(0, point));
    if (point < mark) fraction = std::string(text.substr(point + 1, mark - point - 1));
    std::string_view digits = text.substr(mark + 1);
    if (digits.starts_with('+')) digits.remove_prefix(1);
    std::from_chars(digits.data(), digits.data() + digits.size(), exponent);
  }

  std::string integer;
  std::string fraction;
  int exponent = 0;
};

void trim_zeros(std::string& fraction) { fraction.resize(fraction.find_last_not_of('0') + 1); }

/// The number in scientific notation with at most `precision` digits after the point, without trailing zeros.
Scientific rounded_scientific(double value, DType dtype, int precision) {
  Scientific shortest(shortest_scientific(value, dtype));
  if (static_cast<int>(shortest.fraction.size()) > precision) {
    shortest = Scientific(number_to_chars(value, std::chars_format::scientific, precision));
  }
  trim_zeros(shortest.fraction);
  return shortest;
}

struct Positional {
  std::string integer;
  std::string fraction;
};

/// The number without an exponent and with at most `precision` digits after the point, without trailing zeros.
Positional rounded_positional(double value, DType dtype, int precision) {
  const Scientific shortest(shortest_scientific(value, dtype));
  const int digits = std::clamp(static_cast<int>(shortest.fraction.size()) - shortest.exponent, 0, precision);
  const std::string text = number_to_chars(value, std::chars_format::fixed, digits);
  const std::size_t point = text.find('.');
  Positional result{text.substr(0, point), point == std::string::npos ? std::string() : text.substr(point + 1)};
  trim_zeros(result.fraction);
  return result;
}

std::string exponent_to_string(int exponent, int digits) {
  std::string text = std::to_string(std::abs(exponent));
  text.insert(0, static_cast<std::size_t>(std::max(0, digits - static_cast<int>(text.size()))), '0');
  return (exponent < 0 ? "-" : "+") + text;
}

std::string padded_left(const std::string& text, std::size_t width) {
  return std::string(width > text.size() ? width - text.size() : 0, ' ') + text;
}

std::string padded_right(const std::string& text, std::size_t width) {
  return text + std::string(width > text.size() ? width - text.size() : 0, ' ');
}

std::string non_finite_to_string(double value) {
  if (std::isnan(value)) return "nan";
  return value < 0 ? "-inf" : "inf";
}

/// The constants and the quotient that determine the notation are rounded to the array's dtype.
double rounded_to(DType dtype, double value) {
  if (dtype == DType::float16) return static_cast<float>(Half(static_cast<float>(value)));
  if (dtype == DType::float32) return static_cast<float>(value);
  return value;
}

bool wants_scientific(std::span<const double> finite, DType dtype) {
  double smallest = 0.0;
  double largest = 0.0;
  for (const double value : finite) {
    const double magnitude = std::abs(value);
    if (magnitude == 0.0) continue;
    smallest = smallest == 0.0 ? magnitude : std::min(smallest, magnitude);
    largest = std::max(largest, magnitude);
  }
  if (largest == 0.0) return false;
  const double scientific_from = dtype == DType::float64 ? 1e8 : dtype == DType::float32 ? 1e6 : 1e3;
  const double ratio = dtype == DType::float64
                           ? largest / smallest
                           : rounded_to(dtype, static_cast<float>(largest) / static_cast<float>(smallest));
  return largest >= scientific_from || smallest < rounded_to(dtype, 0.0001) || ratio > 1000.0;
}

}  // namespace

FloatFormat::FloatFormat(std::span<const double> values, DType dtype) : dtype_(dtype) {
  std::vector<double> finite;
  std::copy_if(values.begin(), values.end(), std::back_inserter(finite),
               [](double value) { return std::isfinite(value); });
  if (!finite.empty()) {
    is_scientific_ = wants_scientific(finite, dtype);
    if (is_scientific_) {
      choose_scientific(finite);
    } else {
      choose_positional(finite);
    }
  }
  if (finite.size() == values.size()) return;
  const bool has_minus =
      std::any_of(values.begin(), values.end(), [](double value) { return value < 0 && std::isinf(value); });
  const std::size_t width = has_minus ? 4 : 3;
  const std::size_t right = pad_right_ + 1;
  if (width > right) pad_left_ = std::max(pad_left_, width - right);
}

void FloatFormat::choose_scientific(std::span<const double> finite) {
  std::size_t fraction_digits = 0;
  for (const double value : finite) {
    const Scientific parts = rounded_scientific(value, dtype_, max_fraction_digits);
    fraction_digits = std::max(fraction_digits, parts.fraction.size());
    pad_left_ = std::max(pad_left_, parts.integer.size());
    const int digits = static_cast<int>(std::to_string(std::abs(parts.exponent)).size());
    exponent_digits_ = std::max(exponent_digits_, digits);
  }
  precision_ = static_cast<int>(fraction_digits);
  pad_right_ = fraction_digits + static_cast<std::size_t>(exponent_digits_) + 2;
}

void FloatFormat::choose_positional(std::span<const double> finite) {
  for (const double value : finite) {
    const Positional parts = rounded_positional(value, dtype_, max_fraction_digits);
    pad_left_ = std::max(pad_left_, parts.integer.size());
    pad_right_ = std::max(pad_right_, parts.fraction.size());
  }
}

std::string FloatFormat::operator()(double value) const {
  if (!std::isfinite(value)) return padded_left(non_finite_to_string(value), pad_left_ + pad_right_ + 1);
  if (is_scientific_) {
    const Scientific parts(number_to_chars(value, std::chars_format::scientific, precision_));
    return padded_left(parts.integer, pad_left_) + "." + parts.fraction + "e" +
           exponent_to_string(parts.exponent, exponent_digits_);
  }
  const Positional parts = rounded_positional(value, dtype_, precision_);
  return padded_left(parts.integer, pad_left_) + "." + padded_right(parts.fraction, pad_right_);
}

double without_sign_of_nan(double value) {
  return std::isnan(value) ? std::numeric_limits<double>::quiet_NaN() : value;
}

std::string scalar_to_string(double value, DType dtype) {
  if (!std::isfinite(value)) return non_finite_to_string(value);
  constexpr int no_limit = 400;
  const double magnitude = std::abs(value);
  const double scientific_from = dtype == DType::float64 ? 1e16 : dtype == DType::float32 ? 1e6 : 1e3;
  if (magnitude == 0.0 || (magnitude >= 1e-4 && magnitude < scientific_from)) {
    const Positional parts = rounded_positional(value, dtype, no_limit);
    return parts.integer + "." + (parts.fraction.empty() ? "0" : parts.fraction);
  }
  const Scientific parts = rounded_scientific(value, dtype, no_limit);
  return parts.integer + (parts.fraction.empty() ? "" : ".") + parts.fraction + "e" +
         exponent_to_string(parts.exponent, 2);
}

std::string bfloat16_to_string(double value) {
  if (!std::isfinite(value)) return non_finite_to_string(value);
  constexpr int digits = 6;
  return number_to_chars(value, std::chars_format::general, digits);
}

}  // namespace rhyton
