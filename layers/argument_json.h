#pragma once

#include <functional>
#include <vector>

#include <rhyton/framework/io/json/json.h>
#include <rhyton/layers/argument.h>

// Arguments of calls and options of operations as Keras writes them.

namespace rhyton::layers {

// Dictionaries are read and written by key, so that symbolic tensors come in the order of `for_each_leaf`.

/// `symbol` gives the form of a symbolic tensor. Without it there must be none.
io::Json argument_to_json(const Argument& argument,
                          const std::function<io::Json(const SymbolicTensor&)>& symbol = nullptr);

/// `symbol` gives the argument for a symbolic tensor, `{"class_name": "__keras_tensor__", …}`. Throws
/// NotImplementedError for objects that cannot be arguments.
Argument argument_from_json(const io::Json& json, const std::function<Argument(const io::Json&)>& symbol = nullptr);

/// The members of a dictionary by key: the order in which Keras lists its values.
std::vector<const io::Json::Member*> sorted_members(const io::Json& dictionary);

/// Whether it is the form of a symbolic tensor.
bool is_symbol(const io::Json& json);

}  // namespace rhyton::layers
