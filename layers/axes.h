#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <rhyton/framework/io/json/json.h>
#include <rhyton/framework/tensor/shape.h>

namespace rhyton::layers {

/// One axis or several, where Keras takes an integer or a list: `-1` or `{1, 2}`. Negative axes count from the end.
class Axes {
 public:
  Axes(int axis) : values_{axis} {}  // NOLINT(google-explicit-constructor): an axis is one of axes
  Axes(std::initializer_list<int> axes) : values_(axes), is_list_(true) {}
  Axes(std::vector<int> axes) : values_(std::move(axes)), is_list_(true) {}  // NOLINT(google-explicit-constructor)

  const std::vector<int>& values() const { return values_; }
  /// In the form in which it was given: an integer or a list.
  io::Json to_config() const { return is_list_ ? io::Json::array_from(values_) : io::Json(values_.front()); }
  static Axes from_config(const io::Json& config);
  static constexpr const char* config_type = "an integer or a list of integers";
  /// For Keras null is not the default, but an error.
  static constexpr bool config_refuses_null = true;

  /// Throws ValueError naming the layer when there is no axis.
  void require_some(const std::string& layer_name) const;
  /// The same axes in ascending order of the values given, so negative axes come first.
  Axes sorted_as_written() const;
  /// The axes counted from the front, in the order in which they are given. Throws ValueError in Keras's words if one
  /// is out of range or given twice.
  std::vector<int> in_order_of(const Shape& shape) const;
  /// The same in ascending order.
  std::vector<int> of(const Shape& shape) const;

 private:
  std::vector<int> values_;
  bool is_list_ = false;
};

/// Axes, or None for all of them together: `-1`, `{1, 2}` or `std::nullopt`.
class OptionalAxes {
 public:
  OptionalAxes(int axis) : axes_(axis) {}  // NOLINT(google-explicit-constructor): an axis is one of axes
  OptionalAxes(std::initializer_list<int> axes) : axes_(axes) {}
  OptionalAxes(std::vector<int> axes) : axes_(std::move(axes)) {}  // NOLINT(google-explicit-constructor)
  OptionalAxes(std::nullopt_t) {}                                  // NOLINT(google-explicit-constructor)

  const std::optional<Axes>& value() const { return axes_; }
  std::optional<Axes>& value() { return axes_; }

 private:
  std::optional<Axes> axes_;
};

}  // namespace rhyton::layers
