#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <rhyton/framework/io/json/json.h>
#include <rhyton/framework/tensor/tensor.h>

namespace rhyton::layers {

/// The factors of the elements of a sequence: a name, "hann", or the numbers themselves.
class WindowFactors {
 public:
  WindowFactors() = default;
  explicit WindowFactors(std::string name) : value_(std::move(name)) {}
  explicit WindowFactors(std::vector<double> numbers) : value_(std::move(numbers)) {}

  bool is_name() const { return std::holds_alternative<std::string>(value_); }
  const std::string& name() const { return std::get<std::string>(value_); }
  const std::vector<double>& numbers() const { return std::get<std::vector<double>>(value_); }

  io::Json to_config() const;
  /// Also reads the forms that Keras writes for a tuple, an array of NumPy and a tensor.
  static WindowFactors from_config(const io::Json& config);
  static constexpr const char* config_type = "a string or a list of numbers";

 private:
  std::variant<std::string, std::vector<double>> value_;
};

/// The argument `window` of a short-time Fourier transform: a name, numbers, or none: `"hann"`, `{0.5, 1.0, 0.5}` or
/// `std::nullopt`.
class SequenceWindowArgument {
 public:
  SequenceWindowArgument(const char* name) : value_(WindowFactors(std::string(name))) {}  // NOLINT
  SequenceWindowArgument(std::string name) : value_(WindowFactors(std::move(name))) {}    // NOLINT
  SequenceWindowArgument(std::initializer_list<double> numbers) : value_(WindowFactors(std::vector(numbers))) {}
  SequenceWindowArgument(std::vector<double> numbers) : value_(WindowFactors(std::move(numbers))) {}  // NOLINT
  /// Throws ValueError unless it is a vector.
  SequenceWindowArgument(const Tensor& numbers);  // NOLINT(google-explicit-constructor)
  SequenceWindowArgument(std::nullopt_t) {}       // NOLINT(google-explicit-constructor)

  const std::optional<WindowFactors>& value() const { return value_; }
  std::optional<WindowFactors>& value() { return value_; }

 private:
  std::optional<WindowFactors> value_;
};

/// Throws ValueError in SciPy's words for a window that it does not know by a name, or not without parameters.
void require_window_name(const std::string& name);

/// `length` factors of the window that SciPy (`scipy.signal.get_window`) knows by that name. A periodic one is the
/// symmetric one of one more factor, without the last; a name can end with "_symmetric" or "_periodic", whatever
/// `is_periodic` says. Throws as `require_window_name`, and for a length below 1.
std::vector<double> window_factors(const std::string& name, std::int64_t length, bool is_periodic);

}  // namespace rhyton::layers
