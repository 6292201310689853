#pragma once

#include <array>
#include <functional>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include <rhyton/framework/io/json/json.h>

namespace rhyton::layers {

/// The strength of a random change of images, where Keras takes a number or a pair of numbers: `0.2` or `{-0.1, 0.3}`.
class Factor {
 public:
  Factor(double value) : values_{value} {}  // NOLINT(google-explicit-constructor): a number is one
  Factor(std::initializer_list<double> values) : values_(values), is_list_(true) {}
  Factor(std::vector<double> values) : values_(std::move(values)), is_list_(true) {}  // NOLINT

  const std::vector<double>& values() const { return values_; }
  bool is_list() const { return is_list_; }
  /// As Python prints it: "0.2", "(-0.1, 0.3)".
  std::string to_string() const;

  /// In the form in which it was given: a number or a list. Whole numbers are written as integers, which Keras requires
  /// where they are numbers of bits or lengths.
  io::Json to_config() const;
  static Factor from_config(const io::Json& config);
  static constexpr const char* config_type = "a number or a list of two numbers";

 private:
  std::vector<double> values_;
  bool is_list_ = false;
};

/// The limits that random numbers lie between.
struct FactorRange {
  double lower = 0.0;
  double upper = 0.0;

  Factor pair() const { return {lower, upper}; }
};

/// The range for an argument of that name as Keras's base class of image layers reads it: a number f means [-f, f],
/// limited to at least `bounds[0]`, two numbers are put in order. Throws ValueError in Keras's words for a number
/// outside the bounds, for a pair outside them, and for another number of numbers.
FactorRange bounded_range(const std::string& name, const Factor& factor, const std::array<double, 2>& bounds);

/// The range as Keras's RandomZoom, RandomTranslation and RandomShear read it: each number has to fit, and a number f
/// means [-f, f]. Throws ValueError that begins with `message`, "The `factor` argument should be …. ".
FactorRange symmetric_range(const std::string& name, const Factor& factor, const std::string& message,
                            const std::function<bool(double)>& fits);

}  // namespace rhyton::layers
