#pragma once

#include <rhyton/framework/error.h>
#include <rhyton/framework/snake_case.h>
#include <rhyton/layers/layer_config.h>
#include <rhyton/layers/rnn/base_rnn.h>
#include <rhyton/layers/rnn/dropout_rnn_cell.h>

namespace rhyton::layers {

/// The options of the cell of such a layer, "lstm_cell".
template <class Cell, class Options>
typename Cell::Arguments cell_arguments(const Options& options) {
  typename Cell::Arguments cell;
  cell.units = options.units;
  cell.activation = options.activation;
  if constexpr (requires { cell.recurrent_activation; }) cell.recurrent_activation = options.recurrent_activation;
  cell.use_bias = options.use_bias;
  cell.kernel_initializer = options.kernel_initializer;
  cell.recurrent_initializer = options.recurrent_initializer;
  cell.bias_initializer = options.bias_initializer;
  if constexpr (requires { cell.unit_forget_bias; }) cell.unit_forget_bias = options.unit_forget_bias;
  cell.kernel_regularizer = options.kernel_regularizer;
  cell.recurrent_regularizer = options.recurrent_regularizer;
  cell.bias_regularizer = options.bias_regularizer;
  cell.kernel_constraint = options.kernel_constraint;
  cell.recurrent_constraint = options.recurrent_constraint;
  cell.bias_constraint = options.bias_constraint;
  cell.dropout = options.dropout;
  cell.recurrent_dropout = options.recurrent_dropout;
  if constexpr (requires { cell.reset_after; }) cell.reset_after = options.reset_after;
  cell.seed = options.seed;
  if constexpr (requires { cell.implementation; }) cell.implementation = options.implementation;
  cell.name = snake_case(Cell::keras_name);
  cell.dtype = options.dtype;
  cell.trainable = options.trainable;
  return cell;
}

/// The implementation of SimpleRNN, LSTM and GRU: the class `Handle` over a built-in `Cell`.
template <class Handle, class Cell>
class BuiltInRNNImpl final : public RNNImpl {
 public:
  using Arguments = typename Handle::Arguments;

  explicit BuiltInRNNImpl(const Arguments& arguments)
      : RNNImpl(Cell(arguments.units, cell_arguments<Cell>(arguments)), rnn_options(arguments), 3),
        arguments_(with_limited_rates(arguments)) {}

  std::string class_name() const override { return Handle::keras_name; }
  io::Json get_config() const override { return with_changes(written(layer_config(), arguments_)); }

 protected:
  void check_loop() const override {
    if constexpr (requires(Arguments arguments) { arguments.use_cudnn; }) {
      if (arguments_.use_cudnn != true) return;
      throw ValueError(
          "use_cudnn=True was specified, but cuDNN is not supported for this layer configuration with this backend. "
          "Pass use_cudnn='auto' to fallback to a non-cuDNN implementation.");
    }
  }

 private:
  Arguments arguments_;
};

}  // namespace rhyton::layers
