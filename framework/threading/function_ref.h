#pragma once

#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

namespace rhyton::threading {

template <class Signature>
class FunctionRef;

/// A reference to something callable, for parameters that are called before the function returns. It owns nothing and
/// never allocates: the callable must outlive it.
template <class Result, class... Arguments>
class FunctionRef<Result(Arguments...)> {
 public:
  /// Refers to `callable`: a lambda, a function object, or a function.
  template <class Callable, class = std::enable_if_t<!std::is_same_v<std::remove_cvref_t<Callable>, FunctionRef> &&
                                                     std::is_invocable_r_v<Result, Callable&, Arguments...>>>
  FunctionRef(Callable&& callable) noexcept {  // not explicit: a parameter of this type takes any callable
    using Target = std::remove_reference_t<Callable>;
    if constexpr (std::is_function_v<Target>) {
      target_.function = reinterpret_cast<void (*)()>(std::addressof(callable));
      call_ = [](Pointer target, Arguments... arguments) -> Result {
        return invoke(*reinterpret_cast<Target*>(target.function), std::forward<Arguments>(arguments)...);
      };
    } else {
      target_.object = std::addressof(callable);
      call_ = [](Pointer target, Arguments... arguments) -> Result {
        return invoke(*static_cast<Target*>(const_cast<void*>(target.object)), std::forward<Arguments>(arguments)...);
      };
    }
  }

  Result operator()(Arguments... arguments) const { return call_(target_, std::forward<Arguments>(arguments)...); }

 private:
  union Pointer {
    const void* object;
    void (*function)();
  };

  /// Discards the callable's result when the signature returns void.
  template <class Target>
  static Result invoke(Target& target, Arguments... arguments) {
    if constexpr (std::is_void_v<Result>) {
      std::invoke(target, std::forward<Arguments>(arguments)...);
    } else {
      return std::invoke(target, std::forward<Arguments>(arguments)...);
    }
  }

  Pointer target_;
  Result (*call_)(Pointer, Arguments...);
};

}  // namespace rhyton::threading
