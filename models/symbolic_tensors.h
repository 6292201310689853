#pragma once

#include <concepts>
#include <initializer_list>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <rhyton/layers/argument.h>
#include <rhyton/layers/symbolic_tensor.h>

namespace rhyton::models {

/// The inputs or outputs of a functional model: one symbolic tensor (or `layers::Input`), a list, a map by name, or a
/// structure of lists and dictionaries.
///
/// ```
/// Model({.inputs = x, .outputs = {score, kind}});
/// Model({.inputs = {{"left", left}, {"right", right}}, .outputs = y});
/// Model({.inputs = SymbolicTensors::nested({left, {right, other}}), .outputs = y});
/// ```
class SymbolicTensors {
 public:
  enum class Form { single, list, map, nested };

  /// No tensors.
  SymbolicTensors() = default;
  template <class T>
  requires std::convertible_to<const T&, layers::SymbolicTensor> SymbolicTensors(
      const T& tensor)  // NOLINT(google-explicit-constructor): an argument type
      : form_(Form::single), tensors_{static_cast<layers::SymbolicTensor>(tensor)} {}
  SymbolicTensors(std::vector<layers::SymbolicTensor> list)  // NOLINT(google-explicit-constructor)
      : form_(Form::list), tensors_(std::move(list)) {}
  SymbolicTensors(std::initializer_list<layers::SymbolicTensor> list)  // NOLINT(google-explicit-constructor)
      : form_(Form::list), tensors_(list) {}
  SymbolicTensors(std::initializer_list<std::pair<const std::string, layers::SymbolicTensor>> map)  // NOLINT
      : SymbolicTensors(std::map<std::string, layers::SymbolicTensor>(map)) {}
  SymbolicTensors(const std::map<std::string, layers::SymbolicTensor>& map) : form_(Form::map) {  // NOLINT
    for (const auto& [key, tensor] : map) {
      keys_.push_back(key);
      tensors_.push_back(tensor);
    }
  }

  /// A structure of any depth. Data for it are lists in the order of `flat`. Throws TypeError for anything but symbolic
  /// tensors in it.
  static SymbolicTensors nested(layers::Argument structure);

  Form form() const { return form_; }
  /// The tensors in order; those of a map or a dictionary in the order of its names, as in Keras.
  const std::vector<layers::SymbolicTensor>& flat() const { return tensors_; }
  /// The names of a map, in order.
  const std::vector<std::string>& keys() const { return keys_; }
  /// The structure if it is nested.
  const layers::Argument& structure() const { return structure_; }
  /// The same form with these tensors.
  SymbolicTensors with_tensors(const std::vector<layers::SymbolicTensor>& tensors) const;

 private:
  Form form_ = Form::list;
  std::vector<std::string> keys_;
  std::vector<layers::SymbolicTensor> tensors_;
  layers::Argument structure_;
};

}  // namespace rhyton::models
