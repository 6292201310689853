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

  /// The pair as Python prints it: "(3, 3)".
  std::string to_string() const;
  io::Json to_config() const { return io::Json::array({values_[0], values_[1]}); }

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
