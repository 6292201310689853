#pragma once

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <rhyton/framework/tensor/string_tensor.h>
#include <rhyton/framework/tensor/tensor.h>

namespace rhyton::training {

/// The type of the arguments x and y of `fit`, `evaluate` and `predict`: nothing, a tensor, of numbers or strings, a
/// list, or a map from names of inputs or outputs, `{{"title", titles}, {"body", bodies}}`. In lists and maps `nullptr`
/// is what None is in Keras, as in `{scores, nullptr}`, the targets of a model whose second output has no loss.
class Tensors {
 public:
  /// A tensor, or none: `nullptr`, `std::nullopt` or `{}`.
  class Entry {
   public:
    Entry() = default;
    Entry(std::nullptr_t) {}  // NOLINT(google-explicit-constructor): an argument type
    Entry(std::nullopt_t) {}  // NOLINT(google-explicit-constructor)
    template <std::convertible_to<Tensor> T>
    Entry(T&& tensor)  // NOLINT(google-explicit-constructor,bugprone-forwarding-reference-overload)
        : tensor_(std::forward<T>(tensor)) {}

   private:
    friend class Tensors;
    Tensor tensor_;
  };

  Tensors() = default;
  Tensors(Tensor tensor) : list_{std::move(tensor)} {}  // NOLINT(google-explicit-constructor): an argument type
  /// Strings. A template, so that texts in braces remain a dictionary.
  template <std::same_as<StringTensor> T>
  Tensors(const T& strings) : Tensors(Tensor(strings)) {}        // NOLINT(google-explicit-constructor)
  Tensors(std::vector<Tensor> list) : list_(std::move(list)) {}  // NOLINT(google-explicit-constructor)
  Tensors(std::initializer_list<Entry> list) {                   // NOLINT(google-explicit-constructor)
    for (const Entry& entry : list) list_.push_back(entry.tensor_);
  }
  Tensors(std::map<std::string, Tensor> map) : map_(std::move(map)) {}       // NOLINT(google-explicit-constructor)
  Tensors(std::initializer_list<std::pair<const std::string, Entry>> map) {  // NOLINT(google-explicit-constructor)
    for (const auto& [name, entry] : map) map_.emplace(name, entry.tensor_);
  }

  bool is_empty() const { return list_.empty() && map_.empty(); }
  bool is_map() const { return !map_.empty(); }
  /// The tensors without names; empty ones for none.
  const std::vector<Tensor>& list() const { return list_; }
  /// The tensors by name; empty ones for none.
  const std::map<std::string, Tensor>& map() const { return map_; }

 private:
  std::vector<Tensor> list_;
  std::map<std::string, Tensor> map_;
};

}  // namespace rhyton::training
