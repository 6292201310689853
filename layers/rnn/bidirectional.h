#pragma once

#include <optional>
#include <string>
#include <vector>

#include <rhyton/framework/by_name.h>
#include <rhyton/layers/core/wrapper.h>
#include <rhyton/layers/layer.h>

namespace rhyton::layers {

/// Fields in the order of `keras.layers.Bidirectional`.
struct BidirectionalOptions {
  ByName by_name = ByName();
  /// How the outputs of both directions are combined: "concat", along the last axis, "sum", "mul", "ave", or
  /// `std::nullopt`: both are outputs.
  std::optional<std::string> merge_mode = "concat";
  /// The layer that goes backwards; a copy of the other one if not given.
  std::optional<Layer> backward_layer = std::nullopt;
  std::string name = {};
  std::string dtype = {};
  bool trainable = true;
  /// The penalty on the wrapper's outputs, divided by the batch size.
  Regularizer activity_regularizer = {};
};

/// All arguments of Bidirectional.
struct BidirectionalArguments : BidirectionalOptions {
  Layer layer = {};

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields("merge_mode", self.merge_mode);
    fields.required("layer", self.layer);
    fields("backward_layer", self.backward_layer);
  }
};

/// Applies a recurrent layer to a sequence in both directions: [batch, steps, features] -> [batch, 2 · units], with
/// `return_sequences` [batch, steps, 2 · units], where each step has both outputs for the same inputs. With
/// `return_state` the states of the forward layer follow, then those of the backward layer. `initial_state` of a call
/// is a list: the first half is for the forward layer. See https://keras.io/api/layers/recurrent_layers/bidirectional.
///
/// The layer is copied by its configuration, for both directions, as "forward_lstm" and "backward_lstm"; its weights
/// are not. A given `backward_layer` is used itself. With `return_sequences` outputs of masked steps are 0. A custom
/// layer that is no RNN must have `go_backwards`, `return_sequences`, `return_state` and `stateful` in its
/// configuration, and return the outputs of all steps in the order of computation.
///
/// Throws ValueError in Keras's words for an empty layer, an unknown merge mode and directions that do not fit
/// together; when called, the errors of the layers.
class Bidirectional : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "Bidirectional";
  using Arguments = BidirectionalArguments;

  explicit Bidirectional(const Layer& layer, const BidirectionalOptions& options = {});
  static Bidirectional from_config(const io::Json& config);

  Layer forward_layer() const;
  Layer backward_layer() const;

  /// Sets the states of both layers to zeros. Throws ValueError in Keras's words unless they are stateful.
  void reset_state() const;
  /// The same (Keras's alias).
  void reset_states() const { reset_state(); }
  /// Those of stateful layers that are built: the forward layer's, then the backward layer's.
  std::vector<Variable> states() const;
};

}  // namespace rhyton::layers
