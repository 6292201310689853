#include <rhyton/layers/rnn/lstm.h>

#include <rhyton/layers/layer_config.h>
#include <rhyton/layers/rnn/base_rnn.h>
#include <rhyton/layers/rnn/dropout_rnn_cell.h>
#include <rhyton/layers/rnn/lstm_cell.h>

namespace rhyton::layers {
namespace {

LSTMCellOptions cell_options(const LSTMArguments& options) {
  return {.activation = options.activation,
          .recurrent_activation = options.recurrent_activation,
          .use_bias = options.use_bias,
          .kernel_initializer = options.kernel_initializer,
          .recurrent_initializer = options.recurrent_initializer,
          .bias_initializer = options.bias_initializer,
          .unit_forget_bias = options.unit_forget_bias,
          .kernel_regularizer = options.kernel_regularizer,
          .recurrent_regularizer = options.recurrent_regularizer,
          .bias_regularizer = options.bias_regularizer,
          .dropout = options.dropout,
          .recurrent_dropout = options.recurrent_dropout,
          .seed = options.seed,
          .implementation = options.implementation,
          .name = "lstm_cell",
          .dtype = options.dtype,
          .trainable = options.trainable};
}

class LSTMImpl final : public RNNImpl {
 public:
  explicit LSTMImpl(const LSTMArguments& options)
      : RNNImpl(LSTMCell(options.units, cell_options(options)), rnn_options(options), 3), options_(options) {
    options_.dropout = limited_rate(options.dropout);
    options_.recurrent_dropout = limited_rate(options.recurrent_dropout);
  }

  std::string class_name() const override { return LSTM::keras_name; }
  io::Json get_config() const override { return with_changes(written(layer_config(), options_)); }

 protected:
  void check_loop() const override {
    if (options_.use_cudnn != true) return;
    throw ValueError(
        "use_cudnn=True was specified, but cuDNN is not supported for this layer configuration with this backend. Pass "
        "use_cudnn='auto' to fallback to a non-cuDNN implementation.");
  }

 private:
  LSTMArguments options_;
};

}  // namespace

LSTM::LSTM(std::int64_t units, const LSTMOptions& options)
    : RNN(std::make_shared<LSTMImpl>(LSTMArguments{options, units})) {}

LSTM LSTM::from_config(const io::Json& config) {
  const auto arguments = read_layer<LSTM>(config);
  return LSTM(arguments.units, arguments);
}

}  // namespace rhyton::layers
