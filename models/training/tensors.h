#pragma once

#include <initializer_list>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <rhyton/framework/tensor/tensor.h>

namespace rhyton::training {

/// The type of the arguments x and y of `fit`, `evaluate` and `predict`: nothing, a tensor, a list, or a map from names
/// of inputs or outputs, `{{"title", titles}, {"body", bodies}}`.
class Tensors {
 public:
  Tensors() = default;
  Tensors(Tensor tensor) : list_{std::move(tensor)} {}  // NOLINT(google-explicit-constructor): an argument type
  Tensors(std::vector<Tensor> list) : list_(std::move(list)) {}         // NOLINT(google-explicit-constructor)
  Tensors(std::initializer_list<Tensor> list) : list_(list) {}          // NOLINT(google-explicit-constructor)
  Tensors(std::map<std::string, Tensor> map) : map_(std::move(map)) {}  // NOLINT(google-explicit-constructor)
  Tensors(std::initializer_list<std::pair<const std::string, Tensor>> map) : map_(map) {}  // NOLINT

  bool is_empty() const { return list_.empty() && map_.empty(); }
  bool is_map() const { return !map_.empty(); }
  /// The tensors without names.
  const std::vector<Tensor>& list() const { return list_; }
  /// The tensors by name.
  const std::map<std::string, Tensor>& map() const { return map_; }

 private:
  std::vector<Tensor> list_;
  std::map<std::string, Tensor> map_;
};

}  // namespace rhyton::training
