#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <variant>

// What stands between the brackets of a tensor: `x[{Slice(), Slice(0, 4, 2), -1}]` is Python's `x[:, 0:4:2, -1]`.

namespace rhyton {

/// `start:stop:step`. A missing bound is the end of the axis that the step begins or stops at.
struct Slice {
  std::optional<std::int64_t> start = std::nullopt;
  std::optional<std::int64_t> stop = std::nullopt;
  std::optional<std::int64_t> step = std::nullopt;

  /// All elements.
  Slice() = default;
  Slice(std::optional<std::int64_t> first, std::optional<std::int64_t> last,
        std::optional<std::int64_t> step = std::nullopt)
      : start(first), stop(last), step(step) {}

  friend bool operator==(const Slice&, const Slice&) = default;
};

/// `...`: as many whole axes as the other indices leave.
struct Ellipsis {
  friend bool operator==(const Ellipsis&, const Ellipsis&) = default;
};
inline constexpr Ellipsis ellipsis;

/// `None`: a new axis of length 1.
struct NewAxis {
  friend bool operator==(const NewAxis&, const NewAxis&) = default;
};
inline constexpr NewAxis newaxis;

/// What stands for one axis between the brackets. An integer selects one element and removes the axis; negative ones
/// count from the end.
using Index = std::variant<std::int64_t, Slice, Ellipsis, NewAxis>;

/// One of them that is no integer.
template <class T>
concept IsSlicing = std::same_as<T, Slice> || std::same_as<T, Ellipsis> || std::same_as<T, NewAxis>;

}  // namespace rhyton
