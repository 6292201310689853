#pragma once

#include <array>
#include <cstdint>
#include <string>

#include <rhyton/framework/io/json/json.h>

namespace rhyton::layers {

/// A height and a width, where Keras takes an integer or a pair of them: `3` or `{3, 3}`.
class Size2 {
 public:
  /// Not given: the default of the layer.
  Size2() = default;
  Size2(std::int64_t both)
      : values_{both, both}, is_given_(true), is_single_(true) {}  // NOLINT(google-explicit-constructor)
  Size2(std::int64_t height, std::int64_t width) : values_{height, width}, is_given_(true) {}

  bool is_given() const { return is_given_; }
  std::int64_t height() const { return values_[0]; }
  std::int64_t width() const { return values_[1]; }
  const std::array<std::int64_t, 2>& values() const { return values_; }

  /// The same as a given pair: `Size2()` is {1, 1}.
  Size2 given() const { return is_given_ ? *this : Size2(1, 1); }

  /// The pair as Python prints it: "(3, 3)".
  std::string to_string() const;
  /// Null if it is not given.
  io::Json to_config() const { return is_given_ ? io::Json::array({values_[0], values_[1]}) : io::Json(); }
  /// Reads an integer or a list of two. Throws ValueError in Keras's words for anything else; `argument` as below.
  static Size2 from_config(const char* argument, const io::Json& config);
  static constexpr const char* config_type = "a tuple of 2 integers";

  /// Throws ValueError in Keras's words when a length is not positive. `argument` is its name in the message,
  /// "kernel_size".
  void require_positive(const std::string& argument) const;

 private:
  std::array<std::int64_t, 2> values_ = {1, 1};
  bool is_given_ = false;
  /// Whether one integer was given, for messages.
  bool is_single_ = false;
};

}  // namespace rhyton::layers
