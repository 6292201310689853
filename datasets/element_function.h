#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include <rhyton/datasets/dataset.h>

namespace rhyton::datasets {

/// An element whose x is that dictionary, its tensors by key. Empty y and weights are none.
Batch dictionary_element(const std::map<std::string, Tensor>& x, const Tensor& y = {},
                         const Tensor& sample_weight = {});

/// What functions of elements may return in place of `Result`.
template <class Result>
struct ElementResult {
  static Result from(Result result) { return result; }
};

template <>
struct ElementResult<Batch> {
  static Batch from(Batch element) { return element; }
  static Batch from(const Tensor& x) { return {.x = {x}}; }
  static Batch from(const std::pair<Tensor, Tensor>& xy) { return {.x = {xy.first}, .y = {xy.second}}; }
  static Batch from(const std::map<std::string, Tensor>& x) { return dictionary_element(x); }
  static Batch from(const std::pair<std::map<std::string, Tensor>, Tensor>& xy) {
    return dictionary_element(xy.first, xy.second);
  }
  static Batch from(const std::tuple<Tensor, Tensor, Tensor>& parts) {
    return {.x = {std::get<0>(parts)}, .y = {std::get<1>(parts)}, .sample_weight = {std::get<2>(parts)}};
  }
};

template <>
struct ElementResult<bool> {
  static bool from(bool result) { return result; }
  static bool from(const Tensor& result) { return static_cast<bool>(result); }
};

template <>
struct ElementResult<std::int64_t> {
  static std::int64_t from(std::int64_t result) { return result; }
  static std::int64_t from(const Tensor& result) { return static_cast<std::int64_t>(result.item()); }
};

/// Throws TypeError unless the element is one x, or with `with_y` one x and one y, without weights.
void require_single_tensors(const Batch& element, bool with_y);

/// A function of x, of x and y, or of a whole element, for those of several tensors or with weights:
///
///     [](const Tensor& x) { return x / 255; }
///     [](const Tensor& x, const Tensor& y) { return std::pair(flip(x), y); }
///     [](const Batch& e) { return Batch{.x = {e.x[0], e.x[1] * 2}, .y = e.y}; }
///     [](const Batch& e) { return std::map<std::string, Tensor>{{"left", e["left"]}, {"right", e["right"] * 2}}; }
///
/// One that returns an element may return x, which may be a dictionary, the pair of x and y, the tuple of x, y and sample
/// weight, or a `Batch`;
/// one that returns a truth value or a number may return a tensor of rank 0. A call throws TypeError if the element has
/// other tensors than the function takes.
template <class Result>
class FunctionOfElements {
 public:
  template <class F>
  requires(!std::derived_from<F, FunctionOfElements> &&
           (std::invocable<const F&, const Tensor&, const Tensor&> || std::invocable<const F&, const Tensor&> ||
            std::invocable<const F&, const Batch&>))
      FunctionOfElements(F function) {  // NOLINT(google-explicit-constructor): functions convert by themselves
    if constexpr (std::invocable<const F&, const Tensor&, const Tensor&>) {
      function_ = [f = std::move(function)](const Batch& element) {
        require_single_tensors(element, true);
        return ElementResult<Result>::from(f(element.x.front(), element.y.front()));
      };
    } else if constexpr (std::invocable<const F&, const Tensor&>) {
      function_ = [f = std::move(function)](const Batch& element) {
        require_single_tensors(element, false);
        return ElementResult<Result>::from(f(element.x.front()));
      };
    } else {
      function_ = [f = std::move(function)](const Batch& element) { return ElementResult<Result>::from(f(element)); };
    }
  }

  Result operator()(const Batch& element) const { return function_(element); }

 private:
  std::function<Result(const Batch&)> function_;
};

/// The function of `Pipeline::map`.
using ElementFunction = FunctionOfElements<Batch>;

}  // namespace rhyton::datasets
