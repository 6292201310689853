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

/// Fields in the order of `keras.layers.SimpleRNN`.
struct SimpleRNNOptions {
  ByName by_name = ByName();
  ActivationFunction activation = "tanh";
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
  bool return_sequences = false;
  bool return_state = false;
  bool go_backwards = false;
  bool stateful = false;
  bool unroll = false;
  std::optional<std::int64_t> seed = std::nullopt;
  bool zero_output_for_mask = false;
  std::string name = {};
  std::string dtype = {};
  bool trainable = true;
};

/// All arguments of SimpleRNN.
struct SimpleRNNArguments : SimpleRNNOptions {
  std::int64_t units = 0;

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    RNNArguments::visit_settings(self, fields);
    fields.required("units", self.units);
    RecurrentListing::visit_functions(self, fields);
    RecurrentListing::visit_initializers(self, fields);
    RecurrentListing::visit_restraints(self, fields);
    // Not among the arguments that Keras writes.
    fields.unless_default("seed", self.seed, std::optional<std::int64_t>());
  }
};

/// h = activation(x · kernel + h · recurrent_kernel + bias), over all steps: [batch, steps, features] -> [batch,
/// units], with `return_sequences` [batch, steps, units]. Weights: kernel [features, units], recurrent_kernel [units,
/// units], bias [units]. States, arguments of calls and the other options are those of RNN. See
/// https://keras.io/api/layers/recurrent_layers/simple_rnn.
///
/// Throws ValueError for units below 1 and, when called, the errors of RNN.
class SimpleRNN : public RNN {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "SimpleRNN";
  using Arguments = SimpleRNNArguments;

  explicit SimpleRNN(std::int64_t units, const SimpleRNNOptions& options = {});
  /// `units` must be an integer.
  explicit SimpleRNN(std::floating_point auto units, const SimpleRNNOptions& options = {}) = delete;
  static SimpleRNN from_config(const io::Json& config);
};

}  // namespace rhyton::layers
