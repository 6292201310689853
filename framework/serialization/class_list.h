#pragma once

namespace rhyton {

/// A list of classes, as a type.
template <class... Classes>
struct ClassList {};

/// Calls `function.template operator()<Class>()` for each class, in order.
template <class... Classes, class Function>
constexpr void for_each_class(ClassList<Classes...> /*list*/, const Function& function) {
  (function.template operator()<Classes>(), ...);
}

}  // namespace rhyton
