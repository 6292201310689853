#include <rhyton/layers/rnn/simple_rnn.h>

#include <rhyton/layers/layer_config.h>
#include <rhyton/layers/rnn/base_rnn.h>
#include <rhyton/layers/rnn/dropout_rnn_cell.h>
#include <rhyton/layers/rnn/simple_rnn_cell.h>

namespace rhyton::layers {
namespace {

SimpleRNNCellOptions cell_options(const SimpleRNNArguments& options) {
  return {.activation = options.activation,
          .use_bias = options.use_bias,
          .kernel_initializer = options.kernel_initializer,
          .recurrent_initializer = options.recurrent_initializer,
          .bias_initializer = options.bias_initializer,
          .kernel_regularizer = options.kernel_regularizer,
          .recurrent_regularizer = options.recurrent_regularizer,
          .bias_regularizer = options.bias_regularizer,
          .dropout = options.dropout,
          .recurrent_dropout = options.recurrent_dropout,
          .seed = options.seed,
          .name = "simple_rnn_cell",
          .dtype = options.dtype,
          .trainable = options.trainable};
}

class SimpleRNNImpl final : public RNNImpl {
 public:
  explicit SimpleRNNImpl(const SimpleRNNArguments& options)
      : RNNImpl(SimpleRNNCell(options.units, cell_options(options)), rnn_options(options), 3), options_(options) {
    options_.dropout = limited_rate(options.dropout);
    options_.recurrent_dropout = limited_rate(options.recurrent_dropout);
  }

  std::string class_name() const override { return SimpleRNN::keras_name; }
  io::Json get_config() const override { return with_changes(written(layer_config(), options_)); }

 private:
  SimpleRNNArguments options_;
};

}  // namespace

SimpleRNN::SimpleRNN(std::int64_t units, const SimpleRNNOptions& options)
    : RNN(std::make_shared<SimpleRNNImpl>(SimpleRNNArguments{options, units})) {}

SimpleRNN SimpleRNN::from_config(const io::Json& config) {
  const auto arguments = read_layer<SimpleRNN>(config);
  return SimpleRNN(arguments.units, arguments);
}

}  // namespace rhyton::layers
