#pragma once

#include <string>
#include <vector>

#include <rhyton/framework/by_name.h>
#include <rhyton/layers/core/wrapper.h>
#include <rhyton/layers/layer.h>

namespace rhyton::layers {

/// Fields in the order of `keras.layers.RNN`.
struct RNNOptions {
  ByName by_name = ByName();
  /// Whether the outputs of all steps are returned, [batch, steps, units], or that of the last one, [batch, units].
  bool return_sequences = false;
  /// Whether the states after the last step follow the output: call the layer with `call_many`.
  bool return_state = false;
  /// Whether the last step is computed first. Outputs of all steps are then in the order of computation.
  bool go_backwards = false;
  /// Whether a call starts with the states that the last one ended with, sample by sample.
  bool stateful = false;
  /// Without effect: how steps are computed does not depend on it.
  bool unroll = false;
  /// Whether outputs of masked steps are 0; else they repeat the output before.
  bool zero_output_for_mask = false;
  std::string name = {};
  std::string dtype = {};
  bool trainable = true;
  /// The penalty on the layer's outputs, divided by the batch size.
  Regularizer activity_regularizer = {};
};

/// All arguments of RNN.
struct RNNArguments : RNNOptions {
  Layer cell = {};

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    visit_settings(self, fields);
    fields.required("cell", self.cell);
  }
  /// What all recurrent layers have.
  template <class Self, class Fields>
  static void visit_settings(Self& self, Fields& fields) {
    fields("return_sequences", self.return_sequences);
    fields("return_state", self.return_state);
    fields("go_backwards", self.go_backwards);
    fields("stateful", self.stateful);
    fields("unroll", self.unroll);
    fields("zero_output_for_mask", self.zero_output_for_mask);
    // Keras 2: whether the axis of the steps comes first.
    fields.ignored("time_major", false);
  }
};

/// Applies a cell to all steps of a sequence: [batch, steps, features] -> [batch, units], with `return_sequences`
/// [batch, steps, units]. With `return_state` the states follow, each [batch, units]. It is the base class of the other
/// recurrent layers. See https://keras.io/api/layers/recurrent_layers/rnn.
///
/// Further arguments of a call: `initial_state`, by position or as a keyword, a tensor or list of tensors, one per
/// state of the cell; `mask`, bool [batch, steps]: at steps where it is false the states stay as they are.
///
/// ```
/// const std::vector<SymbolicTensor> encoded = layers::LSTM(64, {.return_state = true}).call_many({x});
/// const SymbolicTensor decoded = layers::LSTM(64)(y, {.kwargs = {{"initial_state", {encoded[1], encoded[2]}}}});
/// ```
///
/// Throws ValueError in Keras's words for a layer that is no cell and, when called, for a stateful layer without a
/// known batch size, and for states or a mask of other shapes.
class RNN : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "RNN";
  using Arguments = RNNArguments;

  /// `cell` is a LSTMCell, GRUCell, SimpleRNNCell, StackedRNNCells or custom cell (layers/rnn/rnn_cell.h).
  explicit RNN(const Layer& cell, const RNNOptions& options = {});
  /// StackedRNNCells of these.
  explicit RNN(const std::vector<Layer>& cells, const RNNOptions& options = {});
  static RNN from_config(const io::Json& config);

  /// Sets the states of a stateful layer to zeros. No effect on others.
  void reset_state() const;
  /// The same (Keras's alias).
  void reset_states() const { reset_state(); }
  /// The states of a stateful layer that is built; none of others.
  std::vector<Variable> states() const;

 protected:
  explicit RNN(std::shared_ptr<LayerImpl> impl) : Layer(std::move(impl)) {}
};

/// Sets the states of all stateful recurrent layers in a layer or model to zeros.
void reset_states(const Layer& layer);

}  // namespace rhyton::layers
