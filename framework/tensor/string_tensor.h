#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include <rhyton/framework/tensor/shape.h>

namespace rhyton {

/// An array of strings, in the memory of the host: what the layers that take text or categories (TextVectorization,
/// StringLookup, Hashing) are called on. Its elements are bytes, in UTF-8 where a layer says so. It is a value, copied
/// with its elements; `Tensor` holds no strings.
///
/// ```
/// StringTensor({"a cat", "a dog"});                 // shape {2}
/// StringTensor({{"red", "small"}, {"blue", "big"}});  // shape {2, 2}
/// ```
class StringTensor {
 public:
  /// One element of a list in braces: a string, or a list of elements.
  class Nested {
   public:
    Nested(const char* element) : element_(element) {}                           // NOLINT(google-explicit-constructor)
    Nested(std::string element) : element_(std::move(element)) {}                // NOLINT(google-explicit-constructor)
    Nested(std::initializer_list<Nested> list) : list_(list), is_list_(true) {}  // NOLINT(google-explicit-constructor)

   private:
    friend class StringTensor;
    std::string element_;
    std::vector<Nested> list_;
    bool is_list_ = false;
  };

  /// No strings: shape {0}.
  StringTensor() : shape_({0}) {}
  /// One string: shape {}.
  StringTensor(const char* element) : StringTensor(std::string(element)) {}  // NOLINT(google-explicit-constructor)
  StringTensor(std::string element)                                          // NOLINT(google-explicit-constructor)
      : elements_({std::move(element)}) {}
  /// A list of strings or, with a further axis each, lists of lists. Throws ValueError if lists on one level have
  /// different lengths, or if there are strings beside lists.
  StringTensor(std::initializer_list<Nested> list);  // NOLINT(google-explicit-constructor)
  /// A vector of strings: shape {n}.
  StringTensor(std::vector<std::string> elements);  // NOLINT(google-explicit-constructor)
  /// Rows of strings: shape {rows, n}. Throws ValueError for rows of different lengths.
  StringTensor(const std::vector<std::vector<std::string>>& rows);  // NOLINT(google-explicit-constructor)
  /// The elements in row-major order. Throws ValueError if their number is not that of the shape.
  StringTensor(const Shape& shape, std::vector<std::string> elements);

  const Shape& shape() const { return shape_; }
  int rank() const { return shape_.rank(); }
  /// The number of strings.
  std::int64_t size() const { return static_cast<std::int64_t>(elements_.size()); }
  /// All strings in row-major order.
  const std::vector<std::string>& elements() const { return elements_; }
  /// The only string. Throws ValueError if there are more, or none.
  const std::string& item() const;

  /// The same strings in another shape, of which one length may be -1. Throws ValueError for another number of them.
  StringTensor reshape(const Shape& shape) const;
  /// The part from `begin` to before `end` along the first axis, such as a batch of samples. Throws ValueError for a
  /// scalar and for limits out of range.
  StringTensor slice(std::int64_t begin, std::int64_t end) const;

  friend bool operator==(const StringTensor&, const StringTensor&) = default;

 private:
  void append(const std::vector<Nested>& list, int axis);

  Shape shape_;
  std::vector<std::string> elements_;
};

}  // namespace rhyton
