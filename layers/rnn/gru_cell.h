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

/// Fields in the order of `keras.layers.GRUCell`.
struct GRUCellOptions {
  ByName by_name = ByName();
  ActivationFunction activation = "tanh";
  /// Of the gates.
  ActivationFunction recurrent_activation = "sigmoid";
  bool use_bias = true;
  Initializer kernel_initializer = "glorot_uniform";
  Initializer recurrent_initializer = "orthogonal";
  Initializer bias_initializer = "zeros";
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
  /// Whether the reset gate multiplies the recurrent product (true) or the state before it (false).
  bool reset_after = true;
  std::optional<std::int64_t> seed = std::nullopt;
  /// 1: each gate has dropout masks of its own, as always with `recurrent_dropout`. 2: they share one.
  std::int64_t implementation = 2;
  std::string name = {};
  std::string dtype = {};
  bool trainable = true;
};

/// All arguments of GRUCell.
struct GRUCellArguments : GRUCellOptions {
  std::int64_t units = 0;

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields.required("units", self.units);
    RecurrentListing::visit_functions(self, fields);
    RecurrentListing::visit_initializers(self, fields);
    RecurrentListing::visit_restraints(self, fields);
    fields("reset_after", self.reset_after);
    fields("seed", self.seed);
    // Not among the arguments that Keras writes.
    fields.unless_default("implementation", self.implementation, std::int64_t{2});
  }
};

/// One step of GRU: Gated recurrent unit (Cho et al., 2014). Weights, the gates side by side in the order update,
/// reset, candidate: kernel [features, 3 · units], recurrent_kernel [units, 3 · units], bias [2, 3 · units], that of
/// the inputs and that of the recurrent product, or [3 · units] without `reset_after`. See
/// https://keras.io/api/layers/recurrent_layers/gru_cell.
///
/// Called by itself with `call_many`, on inputs [batch, features] and the argument `states`, it has the outputs
/// [output, state, ...]. Throws ValueError for units below 1.
class GRUCell : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "GRUCell";
  using Arguments = GRUCellArguments;

  explicit GRUCell(std::int64_t units, const GRUCellOptions& options = {});
  /// `units` must be an integer.
  explicit GRUCell(std::floating_point auto units, const GRUCellOptions& options = {}) = delete;
  static GRUCell from_config(const io::Json& config);
};

}  // namespace rhyton::layers
