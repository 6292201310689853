#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>

#include <rhyton/framework/io/json/json.h>

namespace rhyton::layers {

/// Lengths along the spatial axes, where Keras takes an integer or a tuple of them: `3` or `{3, 3}`. For one to three
/// axes.
template <int rank>
class WindowSize {
 public:
  /// Not given: the default of the layer.
  WindowSize() { values_.fill(1); }
  WindowSize(std::int64_t all) : is_given_(true), is_single_(true) {  // NOLINT(google-explicit-constructor)
    values_.fill(all);
  }
  template <std::integral... Lengths>
  requires(rank > 1 && sizeof...(Lengths) == rank - 1) WindowSize(std::int64_t first, Lengths... others)
      : values_{first, static_cast<std::int64_t>(others)...}, is_given_(true) {}

  bool is_given() const { return is_given_; }
  std::int64_t height() const requires(rank == 2) { return values_[0]; }
  std::int64_t width() const requires(rank == 2) { return values_[1]; }
  const std::array<std::int64_t, static_cast<std::size_t>(rank)>& values() const { return values_; }

  /// The same as a given tuple: `Size2()` is {1, 1}.
  WindowSize given() const;

  /// The tuple as Python prints it: "(3, 3)", "(3,)".
  std::string to_string() const;
  /// Null if it is not given.
  io::Json to_config() const { return is_given_ ? io::Json::array_from(values_) : io::Json(); }
  /// Reads an integer or a list of `rank`. Throws ValueError in Keras's words for anything else; `argument` as below.
  static WindowSize from_config(const char* argument, const io::Json& config);
  static constexpr const char* config_type =
      rank == 1 ? "a tuple of 1 integers" : (rank == 2 ? "a tuple of 2 integers" : "a tuple of 3 integers");

  /// Throws ValueError in Keras's words when a length is not positive. `argument` is its name in the message,
  /// "kernel_size".
  void require_positive(const std::string& argument) const { require_at_least(1, argument); }
  /// The same when a length is negative.
  void require_not_negative(const std::string& argument) const { require_at_least(0, argument); }

 private:
  void require_at_least(std::int64_t least, const std::string& argument) const;

  std::array<std::int64_t, static_cast<std::size_t>(rank)> values_;
  bool is_given_ = false;
  /// Whether one integer was given, for messages.
  bool is_single_ = false;
};

using Size1 = WindowSize<1>;
/// A height and a width.
using Size2 = WindowSize<2>;
using Size3 = WindowSize<3>;

extern template class WindowSize<1>;
extern template class WindowSize<2>;
extern template class WindowSize<3>;

}  // namespace rhyton::layers
