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
#include <rhyton/layers/rnn/rnn.h>

namespace rhyton::layers {

/// Fields in the order of `keras.layers.GRU`.
struct GRUOptions {
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
  Regularizer activity_regularizer = {};
  Constraint kernel_constraint = {};
  Constraint recurrent_constraint = {};
  Constraint bias_constraint = {};
  /// The fraction of the inputs that is dropped in training, the same features at all steps.
  double dropout = 0.0;
  /// The same of the state within the recurrent product.
  double recurrent_dropout = 0.0;
  std::optional<std::int64_t> seed = std::nullopt;
  bool return_sequences = false;
  bool return_state = false;
  bool go_backwards = false;
  bool stateful = false;
  bool unroll = false;
  /// Whether the reset gate multiplies the recurrent product (true) or the state before it (false).
  bool reset_after = true;
  /// True demands the fused computation: a call then throws ValueError if the layer has no such form.
  std::optional<bool> use_cudnn = std::nullopt;
  bool zero_output_for_mask = false;
  /// 1: each gate has dropout masks of its own, as always with `recurrent_dropout`. 2: they share one.
  std::int64_t implementation = 2;
  std::string name = {};
  std::string dtype = {};
  bool trainable = true;
};

/// All arguments of GRU.
struct GRUArguments : GRUOptions {
  std::int64_t units = 0;

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    RNNArguments::visit_settings(self, fields);
    fields.required("units", self.units);
    RecurrentListing::visit_functions(self, fields);
    RecurrentListing::visit_initializers(self, fields);
    RecurrentListing::visit_restraints(self, fields);
    fields("reset_after", self.reset_after);
    fields("seed", self.seed);
    // Not among the arguments that Keras writes, as the next one.
    fields.unless_default("use_cudnn", self.use_cudnn, std::optional<bool>());
    fields.unless_default("implementation", self.implementation, std::int64_t{2});
  }
};

/// Gated recurrent unit (Cho et al., 2014), over all steps: [batch, steps, features] -> [batch, units], with
/// `return_sequences` [batch, steps, units]. Weights, the gates side by side in the order update, reset, candidate:
/// kernel [features, 3 · units], recurrent_kernel [units, 3 · units], bias [2, 3 · units], that of the inputs and that
/// of the recurrent product, or [3 · units] without `reset_after`. States, arguments of calls and the other options are
/// those of RNN. See https://keras.io/api/layers/recurrent_layers/gru.
///
/// Throws ValueError for units below 1 and, when called, the errors of RNN.
class GRU : public RNN {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "GRU";
  using Arguments = GRUArguments;

  explicit GRU(std::int64_t units, const GRUOptions& options = {});
  /// `units` must be an integer.
  explicit GRU(std::floating_point auto units, const GRUOptions& options = {}) = delete;
  static GRU from_config(const io::Json& config);
};

}  // namespace rhyton::layers
