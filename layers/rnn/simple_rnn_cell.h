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

/// Fields in the order of `keras.layers.SimpleRNNCell`.
struct SimpleRNNCellOptions {
  ByName by_name = ByName();
  ActivationFunction activation = "tanh";
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
  std::optional<std::int64_t> seed = std::nullopt;
  std::string name = {};
  std::string dtype = {};
  bool trainable = true;
};

/// All arguments of SimpleRNNCell.
struct SimpleRNNCellArguments : SimpleRNNCellOptions {
  std::int64_t units = 0;

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields.required("units", self.units);
    RecurrentListing::visit_functions(self, fields);
    RecurrentListing::visit_initializers(self, fields);
    RecurrentListing::visit_restraints(self, fields);
    fields("seed", self.seed);
  }
};

/// One step of SimpleRNN: h = activation(x · kernel + h · recurrent_kernel + bias). Weights: kernel [features, units],
/// recurrent_kernel [units, units], bias [units]. See https://keras.io/api/layers/recurrent_layers/simple_rnn_cell.
///
/// Called by itself with `call_many`, on inputs [batch, features] and the argument `states`, it has the outputs
/// [output, state, ...]. Throws ValueError for units below 1.
class SimpleRNNCell : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "SimpleRNNCell";
  using Arguments = SimpleRNNCellArguments;

  explicit SimpleRNNCell(std::int64_t units, const SimpleRNNCellOptions& options = {});
  /// `units` must be an integer.
  explicit SimpleRNNCell(std::floating_point auto units, const SimpleRNNCellOptions& options = {}) = delete;
  static SimpleRNNCell from_config(const io::Json& config);
};

}  // namespace rhyton::layers
