#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <rhyton/layers/argument.h>

namespace rhyton::layers {

class LayerImpl;

/// The arguments of a call as they were given: `layer(*args, **kwargs)`.
struct CallArguments {
  PositionalArguments args = {};
  Keywords kwargs = {};
};

/// Calls `visit` with each argument that is neither a list nor a dictionary: those by position, then those by keyword,
/// which are sorted, as in Keras.
void for_each_leaf(const CallArguments& arguments, const std::function<void(const Argument&)>& visit);
/// The same arguments with the result of `change` in place of each of these.
CallArguments map_leaves(const CallArguments& arguments, const std::function<Argument(const Argument&)>& change);

/// The arguments of a call by the names of the parameters (Python's `inspect.BoundArguments`).
class BoundArguments {
 public:
  /// Throws TypeError in Python's words, naming the layer, for arguments that do not fit `call_parameters`, ValueError
  /// in Keras's words for a list that mixes tensors and others, and for an argument by position that is no tensor if
  /// the layer's arguments by position are tensors.
  BoundArguments(const LayerImpl& layer, const CallArguments& arguments);

  /// The argument of that parameter; None if it is not given. Throws ValueError for an unknown parameter.
  const Argument& operator[](std::string_view parameter) const;
  bool has_parameter(std::string_view parameter) const;
  /// That of the first parameter, the inputs.
  const Argument& first() const { return arguments_.front().second; }
  /// In the order of the parameters.
  const Keywords& all() const { return arguments_; }

  void set(std::string_view parameter, Argument value);
  /// Replaces each argument that is neither a list nor a dictionary by the result of `change`.
  void change_leaves(const std::function<Argument(const Argument&)>& change);

  // The argument of a parameter as a value.

  /// The tensor, also out of a list of one; an empty one for None. Throws TypeError for anything else.
  Tensor tensor(std::string_view parameter) const;
  /// All tensors of a tensor, list or dictionary, in Keras's order.
  std::vector<Tensor> tensors(std::string_view parameter) const { return tensors_of((*this)[parameter]); }
  /// `fallback` for None. Throws TypeError unless it is a number.
  bool boolean(std::string_view parameter, bool fallback) const;
  double number(std::string_view parameter, double fallback) const;

 private:
  Keywords arguments_;
  /// The layer, for messages.
  std::string class_name_;
  std::string name_;
};

/// Whether an argument holds tensors or symbolic tensors, alone or in lists and dictionaries.
bool holds_tensors(const Argument& argument);

}  // namespace rhyton::layers
