#include <rhyton/layers/rnn/gru.h>

#include <rhyton/layers/layer_config.h>
#include <rhyton/layers/rnn/base_rnn.h>
#include <rhyton/layers/rnn/dropout_rnn_cell.h>
#include <rhyton/layers/rnn/gru_cell.h>

namespace rhyton::layers {
namespace {

GRUCellOptions cell_options(const GRUArguments& options) {
  return {.activation = options.activation,
          .recurrent_activation = options.recurrent_activation,
          .use_bias = options.use_bias,
          .kernel_initializer = options.kernel_initializer,
          .recurrent_initializer = options.recurrent_initializer,
          .bias_initializer = options.bias_initializer,
          .kernel_regularizer = options.kernel_regularizer,
          .recurrent_regularizer = options.recurrent_regularizer,
          .bias_regularizer = options.bias_regularizer,
          .dropout = options.dropout,
          .recurrent_dropout = options.recurrent_dropout,
          .reset_after = options.reset_after,
          .seed = options.seed,
          .implementation = options.implementation,
          .name = "gru_cell",
          .dtype = options.dtype,
          .trainable = options.trainable};
}

class GRUImpl final : public RNNImpl {
 public:
  explicit GRUImpl(const GRUArguments& options)
      : RNNImpl(GRUCell(options.units, cell_options(options)), rnn_options(options), 3), options_(options) {
    options_.dropout = limited_rate(options.dropout);
    options_.recurrent_dropout = limited_rate(options.recurrent_dropout);
  }

  std::string class_name() const override { return GRU::keras_name; }
  io::Json get_config() const override { return with_changes(written(layer_config(), options_)); }

 protected:
  void check_loop() const override {
    if (options_.use_cudnn != true) return;
    throw ValueError(
        "use_cudnn=True was specified, but cuDNN is not supported for this layer configuration with this backend. Pass "
        "use_cudnn='auto' to fallback to a non-cuDNN implementation.");
  }

 private:
  GRUArguments options_;
};

}  // namespace

GRU::GRU(std::int64_t units, const GRUOptions& options)
    : RNN(std::make_shared<GRUImpl>(GRUArguments{options, units})) {}

GRU GRU::from_config(const io::Json& config) {
  const auto arguments = read_layer<GRU>(config);
  return GRU(arguments.units, arguments);
}

}  // namespace rhyton::layers
