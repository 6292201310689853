#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <rhyton/layers/argument.h>
#include <rhyton/layers/layer.h>
#include <rhyton/layers/operations/argument_value.h>

// The ops of keras.ops on symbolic tensors. Files contain them as Keras writes its operations, among the layers of a
// functional model; as layers they have no weights. One row of a table per op is what calls, reading and writing
// follow.

namespace rhyton::layers {

/// An op that symbolic tensors can be called with: a row of the table.
struct Operation {
  /// Keras's class, "Mean", and its module in keras.src, "ops.numpy".
  std::string class_name;
  std::string module;
  /// The names of the parameters of its call. The last may be "*operands", which takes all further arguments.
  std::vector<std::string> parameters;
  /// The arguments of its constructor with their defaults, in Keras's order.
  Keywords options;
  /// Computes the outputs from the arguments of the call and then the options, one by one.
  std::function<std::vector<Tensor>(const std::vector<Argument>&)> compute;
  /// How many arguments Keras passes by position. All further ones are keywords, which files contain even if they are
  /// None.
  std::size_t by_position = std::numeric_limits<std::size_t>::max();
  /// The shapes and dtypes of the outputs of symbolic tensors, from the same arguments. By default they are found by
  /// `compute`, with lengths in place of the unknown ones, which fails where the values or the lengths decide. Without
  /// specs: by `compute` too.
  std::function<std::vector<TensorSpec>(const std::vector<Argument>&)> infer = {};
  /// Whether Keras writes the name into the configuration.
  bool writes_name = true;
};

namespace detail {

inline std::vector<Tensor> outputs_of(Tensor output) { return {std::move(output)}; }
inline std::vector<Tensor> outputs_of(std::vector<Tensor> outputs) { return outputs; }
inline std::vector<Tensor> outputs_of(const std::pair<Tensor, Tensor>& outputs) {
  return {outputs.first, outputs.second};
}

template <class Result, class... Parameters>
std::function<std::vector<Tensor>(const std::vector<Argument>&)> with_arguments(Result (*function)(Parameters...)) {
  return [function](const std::vector<Argument>& arguments) {
    if (arguments.size() != sizeof...(Parameters)) throw RuntimeError("A row of operations has a wrong function.");
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return outputs_of(function(ArgumentValue<std::remove_cvref_t<Parameters>>::from(arguments[I])...));
    }
    (std::index_sequence_for<Parameters...>());
  };
}

}  // namespace detail

/// `Operation::compute` from a function of values: `computes([](const Tensor& x, std::vector<int> axis, bool keepdims)
/// { return mean(x, axis, keepdims); })`.
template <class Function>
auto computes(Function function) {
  return detail::with_arguments(+function);
}

/// The largest number of outputs of an operation, so that a short file cannot ask for any amount of memory.
constexpr std::int64_t max_outputs = 1 << 16;
/// Throws ValueError for more outputs.
void require_outputs(std::int64_t outputs);

/// The row of that class; null if there is none.
const Operation* find_operation(std::string_view class_name);
/// All rows.
const std::vector<Operation>& all_operations();

/// A layer for a row, with the options that differ from the defaults. Throws TypeError for an unknown option.
/// `saved_keys`: the members of its configuration, of which older versions of Keras lack some; by default all.
Layer operation_layer(const Operation& operation, const Keywords& options, const std::string& name = {},
                      std::optional<std::vector<std::string>> saved_keys = std::nullopt);
/// The row of such a layer; null for any other.
const Operation* operation_of(const LayerImpl& layer);

/// Calls the op of that class with arguments by position, and its options in the order of the row.
std::vector<SymbolicTensor> call_operation(std::string_view class_name, PositionalArguments arguments,
                                           PositionalArguments options = {});
/// The same for an op with one output.
SymbolicTensor operation_output(std::string_view class_name, PositionalArguments arguments,
                                PositionalArguments options = {});

}  // namespace rhyton::layers
