#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/layers/activations.h>
#include <rhyton/layers/constraints.h>
#include <rhyton/layers/initializers.h>
#include <rhyton/layers/layer.h>
#include <rhyton/layers/regularizers.h>
#include <rhyton/layers/rnn/recurrent_listing.h>

namespace rhyton::layers {

/// Fields in the order of `keras.layers.LSTMCell`.
struct LSTMCellOptions {
  ByName by_name = ByName();
  ActivationFunction activation = "tanh";
  /// Of the gates.
  ActivationFunction recurrent_activation = "sigmoid";
  bool use_bias = true;
  Initializer kernel_initializer = "glorot_uniform";
  Initializer recurrent_initializer = "orthogonal";
  Initializer bias_initializer = "zeros";
  /// Whether the bias of the forget gate starts with 1.
  bool unit_forget_bias = true;
  Regularizer kernel_regularizer = {};
  Regularizer recurrent_regularizer = {};
  Regularizer bias_regularizer = {};
  Constraint kernel_constraint = {};
  Constraint recurrent_constraint = {};
  Constraint bias_constraint = {};
  /// The fraction of the inputs that is dropped in training, the same features at all steps.
  double dropout = 0.0;
  /// The same of the state within the recurrent product.
  double recurrent_dropout = 0.0;
  std::optional<std::int64_t> seed = std::nullopt;
  /// 1: each gate has dropout masks of its own, as always with `recurrent_dropout`. 2: they share one.
  std::int64_t implementation = 2;
  std::string name = {};
  std::string dtype = {};
  bool trainable = true;
};

/// All arguments of LSTMCell.
struct LSTMCellArguments : LSTMCellOptions {
  std::int64_t units = 0;

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields.required("units", self.units);
    RecurrentListing::visit_functions(self, fields);
    fields("unit_forget_bias", self.unit_forget_bias);
    RecurrentListing::visit_initializers(self, fields);
    RecurrentListing::visit_restraints(self, fields);
    fields("seed", self.seed);
    // Not among the arguments that Keras writes.
    fields.unless_default("implementation", self.implementation, std::int64_t{2});
  }
};

/// One step of LSTM: Long short-term memory (Hochreiter & Schmidhuber, 1997). Weights, the gates side by side in the
/// order input, forget, cell, output: kernel [features, 4 · units], recurrent_kernel [units, 4 · units], bias [4 ·
/// units]. See https://keras.io/api/layers/recurrent_layers/lstm_cell.
///
/// Called by itself with `call_many`, on inputs [batch, features] and the argument `states`, it has the outputs
/// [output, state, ...]. Throws ValueError for units below 1.
class LSTMCell : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "LSTMCell";
  using Arguments = LSTMCellArguments;

  explicit LSTMCell(std::int64_t units, const LSTMCellOptions& options = {});
  /// `units` must be an integer.
  explicit LSTMCell(std::floating_point auto units, const LSTMCellOptions& options = {}) = delete;
  static LSTMCell from_config(const io::Json& config);
};

}  // namespace rhyton::layers
