#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <rhyton/framework/by_name.h>

namespace rhyton {
namespace member_count_details {

/// Converts to any class.
struct AnyObject {
  template <class T>
  requires std::is_class_v<T>
  operator T() const;  // NOLINT(google-explicit-constructor): that is its use
};

template <class Aggregate, class Next, class... Previous>
concept takes = requires {
  Aggregate{std::declval<Previous>()..., std::declval<Next>()};
};

template <class Aggregate, class... Previous>
consteval std::size_t count() {
  if constexpr (takes<Aggregate, ByName, Previous...>) {
    return count<Aggregate, Previous..., ByName>();
  } else if constexpr (takes<Aggregate, bool, Previous...>) {
    return count<Aggregate, Previous..., bool>();
  } else if constexpr (takes<Aggregate, double, Previous...>) {
    return count<Aggregate, Previous..., double>();
  } else if constexpr (takes<Aggregate, AnyObject, Previous...>) {
    return count<Aggregate, Previous..., AnyObject>();
  } else {
    return sizeof...(Previous);
  }
}

}  // namespace member_count_details

/// The number of members of an options struct and its bases without the guard `by_name`: how many initializers it
/// takes. Numbers, bools and classes count, which is what options are made of.
template <class Options>
consteval std::size_t member_count() {
  static_assert(std::is_aggregate_v<Options>);
  const std::size_t guards = requires(const Options& options) { options.by_name; }
  ? 1 : 0;
  return member_count_details::count<Options>() - guards;
}

}  // namespace rhyton
