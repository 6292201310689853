#include <rhyton/framework/tensor/shape.h>

#include <algorithm>
#include <limits>

#include <rhyton/framework/error.h>
#include <rhyton/framework/tensor/checked_arithmetic.h>

namespace rhyton {
namespace {

[[noreturn]] void throw_bad_axis(int axis, int rank) {
  throw ValueError("axis " + std::to_string(axis) + " is out of bounds for array of dimension " + std::to_string(rank));
}

}  // namespace

Shape::Shape(std::initializer_list<std::int64_t> lengths)
    : Shape(std::span<const std::int64_t>(lengths.begin(), lengths.size())) {}

Shape::Shape(std::span<const std::int64_t> lengths) {
  if (lengths.size() > static_cast<std::size_t>(max_rank)) {
    throw ValueError("A shape has at most " + std::to_string(max_rank) + " axes, got " +
                     std::to_string(lengths.size()));
  }
  for (const std::int64_t length : lengths) push_back(length);
}

std::int64_t Shape::size() const {
  if (!is_fully_known()) {
    throw ValueError("The number of elements of shape " + to_string() + " is not known: it has an unknown axis");
  }
  // An axis of length 0 makes the size 0 whatever the product of the others.
  if (std::find(begin(), end(), 0) != end()) return 0;
  std::int64_t product = 1;
  for (const std::int64_t length : *this) {
    if (product > std::numeric_limits<std::int64_t>::max() / length) {
      throw ShapeOverflowError("Shape " + to_string() + " has more elements than can be counted");
    }
    product *= length;
  }
  return product;
}

bool Shape::is_fully_known() const {
  return std::none_of(begin(), end(), [](std::int64_t length) { return length < 0; });
}

void Shape::push_back(std::int64_t length) {
  if (length < -1)
    throw ValueError("The length of an axis must be at least 0 (or -1 for unknown), got " + std::to_string(length));
  if (rank_ == max_rank) {
    throw ValueError("A shape has at most " + std::to_string(max_rank) + " axes: " + to_string() + " takes no more");
  }
  lengths_[static_cast<std::size_t>(rank_)] = length;
  ++rank_;
}

Shape Shape::slice(int first, int last) const {
  if (first < 0 || last > rank_ || first > last) {
    throw ValueError("Axes [" + std::to_string(first) + ", " + std::to_string(last) + ") are out of range for shape " +
                     to_string());
  }
  return Shape(std::span<const std::int64_t>(begin() + first, begin() + last));
}

Shape Shape::concatenate(const Shape& tail) const {
  Shape result = *this;
  for (const std::int64_t length : tail) result.push_back(length);
  return result;
}

Shape Shape::with(int axis, std::int64_t length) const {
  if (length < -1)
    throw ValueError("The length of an axis must be at least 0 (or -1 for unknown), got " + std::to_string(length));
  Shape result = *this;
  result[normalize_axis(axis, rank_)] = length;
  return result;
}

std::string Shape::to_string() const {
  std::string text = "(";
  for (int axis = 0; axis < rank_; ++axis) {
    if (axis > 0) text += ", ";
    text += length_to_string((*this)[axis]);
  }
  // Python writes a tuple of one element with a comma.
  if (rank_ == 1) text += ",";
  return text + ")";
}

bool operator==(const Shape& a, const Shape& b) { return std::equal(a.begin(), a.end(), b.begin(), b.end()); }

std::string length_to_string(std::int64_t length) { return length < 0 ? "None" : std::to_string(length); }

int normalize_axis(int axis, int rank) {
  if (axis < -rank || axis >= rank) throw_bad_axis(axis, rank);
  return axis < 0 ? axis + rank : axis;
}

void Shape::throw_out_of_range(int axis) const { throw_bad_axis(axis, rank_); }

}  // namespace rhyton
