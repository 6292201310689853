#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <span>
#include <string>

namespace rhyton {

/// The lengths of a tensor's axes. A length of -1 is unknown (Keras's `None`), as the batch axis is while a model is
/// built. At most `max_rank` axes; a Shape never allocates.
class Shape {
 public:
  static constexpr int max_rank = 8;

  Shape() = default;
  /// Throws ValueError for more than `max_rank` axes or a length below -1.
  Shape(std::initializer_list<std::int64_t> lengths);
  explicit Shape(std::span<const std::int64_t> lengths);

  int rank() const { return rank_; }
  /// The length of an axis; negative axes count from the end (-1 is the last). Throws ValueError when out of range.
  std::int64_t operator[](int axis) const { return lengths_[index(axis)]; }
  std::int64_t& operator[](int axis) { return lengths_[index(axis)]; }
  /// As `operator[]`.
  std::int64_t at(int axis) const { return lengths_[index(axis)]; }

  const std::int64_t* begin() const { return lengths_.data(); }
  const std::int64_t* end() const { return lengths_.data() + rank_; }

  /// The number of elements. Throws ValueError when an axis is unknown or the product overflows 63 bits.
  std::int64_t size() const;
  bool is_fully_known() const;

  /// Adds an axis at the end. Throws as the constructor.
  void push_back(std::int64_t length);
  /// The axes [first, last) as a shape of their own.
  Shape slice(int first, int last) const;
  /// This shape's axes followed by those of `tail`.
  Shape concatenate(const Shape& tail) const;
  /// This shape with another length of one axis; negative axes count from the end. Throws ValueError when the axis is
  /// out of range or the length below -1.
  Shape with(int axis, std::int64_t length) const;

  /// As Python prints a tuple: "(None, 28, 28, 1)", "(3,)", "()".
  std::string to_string() const;

  friend bool operator==(const Shape& a, const Shape& b);

 private:
  std::size_t index(int axis) const {
    const int from_front = axis < 0 ? axis + rank_ : axis;
    if (from_front < 0 || from_front >= rank_) throw_out_of_range(axis);
    return static_cast<std::size_t>(from_front);
  }
  [[noreturn]] void throw_out_of_range(int axis) const;

  std::array<std::int64_t, max_rank> lengths_{};
  int rank_ = 0;
};

/// Whether two lengths are equal, as far as they are known.
inline bool may_be_equal(std::int64_t a, std::int64_t b) { return a < 0 || b < 0 || a == b; }

/// A length as in `Shape::to_string`: "None" if it is unknown.
std::string length_to_string(std::int64_t length);

/// `axis` counted from the front, for a tensor of that rank. Throws ValueError when out of range.
int normalize_axis(int axis, int rank);

/// Writes `to_string()`.
std::ostream& operator<<(std::ostream& stream, const Shape& shape);

}  // namespace rhyton
