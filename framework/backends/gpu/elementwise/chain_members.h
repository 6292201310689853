#pragma once

#include <cstdint>
#include <tuple>
#include <type_traits>

#include <rhyton/framework/backends/elementwise/activations.h>
#include <rhyton/framework/backends/elementwise/binary.h>
#include <rhyton/framework/backends/elementwise/conversions.h>
#include <rhyton/framework/backends/elementwise/unary.h>

// The functions that can be members of a chain: all of the lists, and the variants that attributes select.

namespace rhyton::gpu {

template <class... List>
struct Joined;
template <class... Function>
struct Joined<elementwise::Functions<Function...>> {
  using Type = elementwise::Functions<Function...>;
};
template <class... Left, class... Right, class... Rest>
struct Joined<elementwise::Functions<Left...>, elementwise::Functions<Right...>, Rest...>
    : Joined<elementwise::Functions<Left..., Right...>, Rest...> {};

template <class Function>
struct WithVariant {
  using Type = elementwise::Functions<Function>;
};
template <elementwise::HasVariant Function>
struct WithVariant<Function> {
  using Type = elementwise::Functions<Function, typename Function::Variant>;
};

template <class List>
struct WithVariants;
template <class... Function>
struct WithVariants<elementwise::Functions<Function...>> : Joined<typename WithVariant<Function>::Type...> {};

/// All lists.
using ListedFunctions = Joined<elementwise::ConversionFunctions, elementwise::UnaryFunctions,
                               elementwise::BinaryFunctions, elementwise::ActivationFunctions>::Type;
using ChainFunctions = WithVariants<ListedFunctions>::Type;

/// The number of a function in the list.
enum class ChainCode : std::uint8_t {};

template <class List>
struct Numbering;
template <class... Function>
struct Numbering<elementwise::Functions<Function...>> {
  static constexpr int count = sizeof...(Function);
  static_assert(count <= 256);
  template <int code>
  using At = typename std::tuple_element_t<code, std::tuple<std::type_identity<Function>...>>::type;
  template <class Other>
  static constexpr ChainCode find() {
    static_assert((std::is_same_v<Function, Other> || ...), "not in a list of functions");
    std::uint8_t code = 0;
    static_cast<void>(((std::is_same_v<Function, Other> || (++code, false)) || ...));
    return ChainCode{code};
  }
};

inline constexpr int chain_function_count = Numbering<ChainFunctions>::count;
template <int code>
using ChainFunction = Numbering<ChainFunctions>::At<code>;
template <class Function>
inline constexpr ChainCode chain_code = Numbering<ChainFunctions>::find<Function>();

template <class Function>
concept ChainsFloatingOnly = requires {
  requires !Function::chains_integers;
};

/// Whether chains compute a function in type `T`: float, double or std::int64_t.
template <class Function, class T>
inline constexpr bool computes_in =
    std::is_integral_v<T> ? Function::Elements::contain_integers && !ChainsFloatingOnly<Function>
                          : std::is_same_v<T, float> || Function::Elements::template contain<T>;

}  // namespace rhyton::gpu
