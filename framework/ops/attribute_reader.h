#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <rhyton/framework/tensor/dtype.h>
#include <rhyton/framework/tensor/shape.h>

namespace rhyton {

/// Reads the attributes of an op from the text of `Op::attributes`, which may come from anyone. The functions throw
/// ValueError, which names op and attribute, where the attribute is missing or has another form.
class AttributeReader {
 public:
  /// The op's name is for messages. Throws ValueError for a text without the form "a=1, b=[2,3]".
  AttributeReader(std::string_view op, std::string_view text);

  bool has(std::string_view name) const;
  /// An integer in [lowest, highest].
  std::int64_t integer(std::string_view name, std::int64_t lowest, std::int64_t highest);
  std::int64_t length(std::string_view name) { return integer(name, 0, max_length); }
  std::uint64_t key(std::string_view name);
  double number(std::string_view name);
  bool flag(std::string_view name);
  DType dtype(std::string_view name);
  /// The text itself.
  std::string_view word(std::string_view name);
  /// "[1,2]": integers in [lowest, highest].
  std::vector<std::int64_t> integers(std::string_view name, std::int64_t lowest, std::int64_t highest);
  std::vector<std::int64_t> lengths(std::string_view name) { return integers(name, 0, max_length); }
  /// All axes known, and the number of elements countable.
  Shape shape(std::string_view name);
  /// "3,3": two integers in [1, 2^31).
  std::pair<std::int64_t, std::int64_t> pair(std::string_view name);
  /// An axis of a tensor of that rank.
  int axis(std::string_view name, int rank);
  /// Ascending axes of a tensor of that rank.
  std::vector<int> axes(std::string_view name, int rank);
  /// All axes of a tensor of that rank, in any order.
  std::vector<int> permutation(std::string_view name, int rank);

  /// Throws ValueError where an attribute was not read.
  void finish() const;
  [[noreturn]] void fail(const std::string& problem) const;

  /// The maximum length of an axis.
  static constexpr std::int64_t max_length = std::int64_t{1} << 40;

 private:
  struct Attribute {
    std::string_view name;
    std::string_view text;
    bool is_read = false;
  };

  std::string_view text_of(std::string_view name);

  std::string_view op_;
  std::string_view text_;
  std::vector<Attribute> attributes_;
};

}  // namespace rhyton
