#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <rhyton/framework/ops/recurrent.h>
#include <rhyton/layers/activations.h>
#include <rhyton/layers/constraints.h>
#include <rhyton/layers/initializers.h>
#include <rhyton/layers/regularizers.h>
#include <rhyton/layers/rnn/dropout_rnn_cell.h>
#include <rhyton/layers/rnn/forget_bias.h>

namespace rhyton::layers {

/// What SimpleRNNCell, LSTMCell and GRUCell are made of.
struct BuiltInCellSettings {
  RecurrentCell kind = RecurrentCell::simple_rnn;
  std::int64_t units = 0;
  ActivationFunction activation = {};
  /// Unused by simple_rnn.
  ActivationFunction recurrent_activation = {};
  bool use_bias = true;
  Initializer kernel_initializer = {};
  Initializer recurrent_initializer = {};
  Initializer bias_initializer = {};
  Regularizer kernel_regularizer = {};
  Regularizer recurrent_regularizer = {};
  Regularizer bias_regularizer = {};
  Constraint kernel_constraint = {};
  Constraint recurrent_constraint = {};
  Constraint bias_constraint = {};
  double dropout = 0.0;
  double recurrent_dropout = 0.0;
  /// Whether each gate has dropout masks of its own.
  bool has_masks_per_gate = false;
  /// gru only.
  bool reset_after = false;
};

/// The settings from the arguments of a cell of that kind.
template <class Arguments>
BuiltInCellSettings cell_settings(RecurrentCell kind, const Arguments& arguments) {
  BuiltInCellSettings settings{.kind = kind,
                               .units = arguments.units,
                               .activation = arguments.activation,
                               .use_bias = arguments.use_bias,
                               .kernel_initializer = arguments.kernel_initializer,
                               .recurrent_initializer = arguments.recurrent_initializer,
                               .bias_initializer = arguments.bias_initializer,
                               .kernel_regularizer = arguments.kernel_regularizer,
                               .recurrent_regularizer = arguments.recurrent_regularizer,
                               .bias_regularizer = arguments.bias_regularizer,
                               .kernel_constraint = arguments.kernel_constraint,
                               .recurrent_constraint = arguments.recurrent_constraint,
                               .bias_constraint = arguments.bias_constraint,
                               .dropout = arguments.dropout,
                               .recurrent_dropout = arguments.recurrent_dropout};
  if constexpr (requires { arguments.recurrent_activation; }) {
    settings.recurrent_activation = arguments.recurrent_activation;
    settings.dropout = rate_of_gates(arguments.dropout);
    settings.recurrent_dropout = rate_of_gates(arguments.recurrent_dropout);
    settings.has_masks_per_gate = arguments.implementation == 1 || arguments.recurrent_dropout > 0;
  }
  if constexpr (requires { arguments.unit_forget_bias; }) {
    if (arguments.unit_forget_bias) settings.bias_initializer = with_forget_bias(arguments.bias_initializer);
  }
  if constexpr (requires { arguments.reset_after; }) settings.reset_after = arguments.reset_after;
  return settings;
}

/// The weights of one sequence in the compute dtype, and its dropout masks.
class CellProducts;

/// The base of the built-in cells: their weights, dropout, and the fused computation of all steps.
class BuiltInCellImpl : public DropoutRNNCellImpl {
 public:
  /// Throws ValueError in Keras's words for units below 1.
  BuiltInCellImpl(const LayerOptions& options, const BuiltInCellSettings& settings);

  std::int64_t output_size() const override { return settings_.units; }
  void check_inputs(const std::vector<Shape>& inputs) const override;
  void build(const std::vector<Shape>& inputs) override;
  CellStep start_sequence(const Tensor& inputs, bool training) override;
  bool computes_sequences(bool training) const override;
  CellSequenceResult call_sequence(const CellSequence& sequence) override;

 protected:
  const BuiltInCellSettings& settings() const { return settings_; }
  /// One step with these weights and masks.
  virtual CellResult compute(const CellProducts& products, const Tensor& inputs,
                             const std::vector<Tensor>& states) const = 0;

 private:
  std::int64_t gates() const { return recurrent_gates(settings_.kind); }
  CellProducts products(const std::vector<Tensor>& masks, const std::vector<Tensor>& recurrent_masks) const;
  /// The attributes of the fused computation; nothing if a function has no kernel.
  std::optional<RecurrentAttributes> fused_attributes() const;

  BuiltInCellSettings settings_;
  Variable kernel_;
  Variable recurrent_kernel_;
  Variable bias_;
};

class CellProducts {
 public:
  struct Part {
    /// [inputs or units, gates · units].
    Tensor kernel;
    /// [gates · units]; none if empty.
    Tensor bias = {};
    /// None, one for all gates, or one per gate.
    std::vector<Tensor> masks = {};
  };

  CellProducts(Part input, Part recurrent, std::int64_t gates)
      : input_(std::move(input)), recurrent_(std::move(recurrent)), gates_(gates) {}

  /// The product of the inputs, whose masks may have another axis in front of the last, with the bias:
  /// [..., gates · units].
  Tensor of_inputs(const Tensor& x) const { return product(input_, x); }
  /// The product of the state with the recurrent bias.
  Tensor of_state(const Tensor& h) const { return product(recurrent_, h); }
  /// That of one gate, with a state for it.
  Tensor of_state(const Tensor& h, std::int64_t gate) const { return product(recurrent_, h, gate); }

  const Part& recurrent() const { return recurrent_; }

 private:
  Tensor product(const Part& part, const Tensor& x) const;
  Tensor product(const Part& part, const Tensor& x, std::int64_t gate) const;

  Part input_;
  Part recurrent_;
  std::int64_t gates_;
};

}  // namespace rhyton::layers
