#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <rhyton/framework/tensor/shape.h>
#include <rhyton/framework/tensor/tensor.h>

namespace rhyton {

/// An array of strings, in the memory of the host: what the layers that take text or categories (TextVectorization,
/// StringLookup, Hashing) are called on. Its elements are bytes, in UTF-8 where a layer says so. It is a value; copies
/// share the elements, which do not change.
///
/// It converts to a `Tensor` of dtype "string", so that strings are passed to models, in lists and dictionaries of
/// inputs, and by data sets as numbers are; `StringTensor::of` converts back.
///
/// ```
/// StringTensor("a cat");                              // shape {}
/// StringTensor({"a cat"});                            // shape {1}
/// StringTensor({"a cat", "a dog"});                   // shape {2}
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
  StringTensor() : StringTensor(std::vector<std::string>()) {}
  /// One string: shape {}. A template, because braces are never one: `StringTensor({text})` is a list of one string.
  template <class Text>
  requires std::same_as<Text, const char*> || std::same_as<Text, char*> || std::same_as<Text, std::string> ||
      std::same_as<Text, std::string_view>
      StringTensor(Text element)  // NOLINT(google-explicit-constructor)
      : StringTensor(Shape{}, {std::string(std::move(element))}) {}
  /// A list of strings or, with a further axis each, lists of lists. Throws ValueError if lists on one level have
  /// different lengths, or if there are strings beside lists.
  StringTensor(std::initializer_list<Nested> list);  // NOLINT(google-explicit-constructor)
  /// A vector of strings: shape {n}.
  StringTensor(std::vector<std::string> elements);  // NOLINT(google-explicit-constructor)
  /// Rows of strings: shape {rows, n}. Throws ValueError for rows of different lengths.
  StringTensor(const std::vector<std::vector<std::string>>& rows);  // NOLINT(google-explicit-constructor)
  /// The elements in row-major order. Throws ValueError if their number is not that of the shape.
  StringTensor(const Shape& shape, std::vector<std::string> elements);

  /// The strings of a tensor. Throws TypeError for a tensor of numbers or one that is traced.
  static const StringTensor& of(const Tensor& tensor);
  /// The same; null where that throws.
  static const StringTensor* find(const Tensor& tensor);
  /// A tensor of these strings.
  operator Tensor() const;  // NOLINT(google-explicit-constructor)

  const Shape& shape() const { return shape_; }
  int rank() const { return shape_.rank(); }
  /// The number of strings.
  std::int64_t size() const { return static_cast<std::int64_t>(elements().size()); }
  /// All strings in row-major order.
  const std::vector<std::string>& elements() const { return *elements_; }
  /// The only string. Throws ValueError if there are more, or none.
  const std::string& item() const;

  /// The same strings in another shape, of which one length may be -1. Throws ValueError for another number of them.
  StringTensor reshape(const Shape& shape) const;
  /// The part from `begin` to before `end` along the first axis, such as a batch of samples. Throws ValueError for a
  /// scalar and for limits out of range.
  StringTensor slice(std::int64_t begin, std::int64_t end) const;

  /// Joins parts of one shape along a new first axis. Throws ValueError for none and for different shapes.
  static StringTensor stack(const std::vector<StringTensor>& parts);
  /// Joins parts along their first axis. Throws ValueError for none and for parts that do not fit.
  static StringTensor concatenate(const std::vector<StringTensor>& parts);

  /// The parts at these indices of the first axis, in their order. Throws as `slice`.
  StringTensor gather(std::span<const std::int64_t> indices) const;

  /// As TensorFlow prints: `tf.Tensor([b'a cat' b'a dog'], shape=(2,), dtype=string)`.
  std::string to_string() const;

  friend bool operator==(const StringTensor& a, const StringTensor& b) {
    return a.shape_ == b.shape_ && (a.elements_ == b.elements_ || *a.elements_ == *b.elements_);
  }

 private:
  static void append(const std::vector<Nested>& list, const Shape& shape, int axis, std::vector<std::string>& elements);

  Shape shape_;
  std::shared_ptr<const std::vector<std::string>> elements_;
};

/// What a tensor of strings has in place of a storage: it is a tensor of this origin, and concrete.
class StringElements final : public TraceOrigin {
 public:
  explicit StringElements(StringTensor strings) : strings_(std::move(strings)) {}

  const StringTensor& strings() const { return strings_; }

 private:
  StringTensor strings_;
};

}  // namespace rhyton
