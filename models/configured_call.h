#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <rhyton/framework/io/json/json.h>
#include <rhyton/layers/call_arguments.h>
#include <rhyton/layers/layer.h>

namespace rhyton::models {

/// An output of a call of a layer.
struct Place {
  std::string layer;
  std::int64_t node;
  std::int64_t output;
};

/// A call of a layer as described by the configuration.
struct ConfiguredCall {
  /// The symbolic tensors among the arguments, in the order of `for_each_leaf`.
  std::vector<Place> inputs;
  /// With an empty symbolic tensor in place of each of `inputs`.
  layers::CallArguments arguments;
  /// The number of leading inputs whose calls are known to exist.
  std::size_t known_inputs = 0;
  /// Whether Keras 2 wrote it, which counts the calls of a nested model from 1, as creating it was the first.
  bool is_legacy = false;
  std::optional<bool> training;
};

/// The call of a layer, an operation or a function of TensorFlow, whose configuration is `layer_config`, in the form of
/// Keras 3 or Keras 2. Throws ValueError for what is none.
ConfiguredCall read_call(const io::Json& node, const io::Json& layer_config);

/// Makes the initial states of a recurrent layer, which Keras 2 lists behind its inputs, an argument of their own.
void separate_states(const layers::Layer& layer, ConfiguredCall& call);

/// The place of a tensor: [layer, call, output]. Throws ValueError for what is none.
Place read_history(const io::Json& history);

/// Whether it is one tensor among inputs or outputs: [layer, call, output].
bool is_end(const io::Json& ends);

}  // namespace rhyton::models
