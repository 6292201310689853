#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include <rhyton/framework/io/json/json.h>
#include <rhyton/layers/window_size.h>

namespace rhyton::layers {

/// Lengths before and after each of two or three spatial axes, where Keras takes an integer, a tuple of integers or a
/// tuple of pairs: `1`, `{1, 2}`, `{{1, 2}, {3, 4}}`.
template <int rank>
class Margins {
 public:
  /// The same before and after each axis.
  Margins(std::int64_t all) : is_single_(true) { axes_.fill(all); }  // NOLINT(google-explicit-constructor)
  Margins(const Size2& height, const Size2& width) requires(rank == 2) : axes_{height, width} {}
  Margins(const Size2& depth, const Size2& height, const Size2& width) requires(rank == 3) : axes_{depth, height} {
    axes_.back() = width;
  }

  /// Before and after each axis.
  const std::array<Size2, static_cast<std::size_t>(rank)>& axes() const { return axes_; }
  /// Whether it was made from one integer, for messages.
  bool is_single() const { return is_single_; }

  /// The tuple of pairs as Python prints it: "((1, 2), (3, 4))".
  std::string to_string() const;
  io::Json to_config() const;
  /// Reads any of the three forms. Throws ValueError in Keras's words for anything else; `argument` as below.
  static Margins from_config(const char* argument, const io::Json& config);
  static constexpr const char* config_type =
      rank == 2 ? "a tuple of 2 pairs of integers" : "a tuple of 3 pairs of integers";

  /// Throws ValueError in Keras's words when a length is negative. `argument` is its name in the message, "padding".
  void require_not_negative(const std::string& argument) const;

 private:
  std::array<Size2, static_cast<std::size_t>(rank)> axes_;
  bool is_single_ = false;
};

using Margins2 = Margins<2>;
using Margins3 = Margins<3>;

extern template class Margins<2>;
extern template class Margins<3>;

}  // namespace rhyton::layers
