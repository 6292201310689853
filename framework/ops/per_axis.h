#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

namespace rhyton {
inline namespace ops {

/// A number for each spatial axis, or one for all of them: `2` or `{2, 1}`. A list of one number is that number. An
/// empty one is None, where an argument may be that.
class PerAxis {
 public:
  PerAxis() = default;
  template <std::integral T>
  PerAxis(T all) : numbers_{static_cast<std::int64_t>(all)} {}  // NOLINT(google-explicit-constructor)
  PerAxis(std::initializer_list<std::int64_t> numbers) : numbers_(numbers) {}
  PerAxis(std::vector<std::int64_t> numbers) : numbers_(std::move(numbers)) {}  // NOLINT(google-explicit-constructor)

  bool is_given() const { return !numbers_.empty(); }
  const std::vector<std::int64_t>& numbers() const { return numbers_; }

  /// One number for each of `axes` axes. Throws ValueError, which names the argument, for another count of them.
  std::vector<std::int64_t> for_axes(std::size_t axes, const std::string& argument) const;
  /// As Python prints it: "2", "(2, 1)", "None".
  std::string to_string() const;

 private:
  std::vector<std::int64_t> numbers_;
};

}  // namespace ops
}  // namespace rhyton
