#include <rhyton/layers/rnn/conv_lstm.h>

#include <algorithm>
#include <vector>

#include <rhyton/layers/image_layout.h>
#include <rhyton/layers/layer_config.h>
#include <rhyton/layers/rnn/base_rnn.h>
#include <rhyton/layers/rnn/conv_lstm_cell.h>

namespace rhyton::layers {
namespace {

template <class Size>
constexpr int rank_of = 0;
template <int rank>
constexpr int rank_of<WindowSize<rank>> = rank;

template <class Size>
std::vector<std::int64_t> lengths_of(const Size& size) {
  return {size.values().begin(), size.values().end()};
}

template <class Size>
std::int64_t largest(const Size& size) {
  return *std::max_element(size.values().begin(), size.values().end());
}

/// The arguments as they hold. Throws ValueError in Keras's words.
template <class Size>
ConvLSTMArguments<Size> resolved(ConvLSTMArguments<Size> arguments) {
  arguments.kernel_size.require_positive("kernel_size");
  arguments.strides.require_not_negative("strides");
  arguments.strides.require_positive("strides");
  arguments.dilation_rate.require_positive("dilation_rate");
  arguments.kernel_size = arguments.kernel_size.given();
  arguments.strides = arguments.strides.given();
  arguments.dilation_rate = arguments.dilation_rate.given();
  arguments.padding = name_of(window_padding(arguments.padding));
  arguments.data_format = ImageLayout(arguments.data_format).to_string();
  if (largest(arguments.strides) > 1 && largest(arguments.dilation_rate) > 1) {
    throw ValueError(
        "Specifying `strides > 1` is not compatible with `dilation_rate > 1`. Please provide `strides=1` or "
        "`dilation_rate=1`. Received: strides=" +
        arguments.strides.to_string() + " and dilation_rate=" + arguments.dilation_rate.to_string());
  }
  if (arguments.filters <= 0) {
    throw ValueError("Invalid value for argument `filters`. Expected a strictly positive value. Received filters=" +
                     std::to_string(arguments.filters) + ".");
  }
  return with_limited_rates(arguments);
}

template <class Size>
Layer make_cell(const ConvLSTMArguments<Size>& arguments) {
  return make_layer<ConvLSTMCellImpl>(ConvLSTMCellArguments{.filters = arguments.filters,
                                                            .kernel_size = lengths_of(arguments.kernel_size),
                                                            .strides = lengths_of(arguments.strides),
                                                            .dilation_rate = lengths_of(arguments.dilation_rate),
                                                            .padding = window_padding(arguments.padding),
                                                            .layout = ImageLayout(arguments.data_format),
                                                            .activation = arguments.activation,
                                                            .recurrent_activation = arguments.recurrent_activation,
                                                            .use_bias = arguments.use_bias,
                                                            .kernel_initializer = arguments.kernel_initializer,
                                                            .recurrent_initializer = arguments.recurrent_initializer,
                                                            .bias_initializer = arguments.bias_initializer,
                                                            .unit_forget_bias = arguments.unit_forget_bias,
                                                            .kernel_regularizer = arguments.kernel_regularizer,
                                                            .recurrent_regularizer = arguments.recurrent_regularizer,
                                                            .bias_regularizer = arguments.bias_regularizer,
                                                            .kernel_constraint = arguments.kernel_constraint,
                                                            .recurrent_constraint = arguments.recurrent_constraint,
                                                            .bias_constraint = arguments.bias_constraint,
                                                            .dropout = arguments.dropout,
                                                            .recurrent_dropout = arguments.recurrent_dropout,
                                                            .seed = arguments.seed},
                                      arguments.dtype);
}

template <class Size>
class ConvLSTMImpl final : public RNNImpl {
 public:
  explicit ConvLSTMImpl(const ConvLSTMArguments<Size>& arguments)
      : RNNImpl(make_cell(arguments), rnn_options(arguments), rank_of<Size> + 3), arguments_(arguments) {}

  std::string class_name() const override { return "ConvLSTM" + std::to_string(rank_of<Size>) + "D"; }

  void check_inputs(const std::vector<Shape>& inputs) const override {
    RNNImpl::check_inputs(inputs);
    const Shape& sequences = inputs.front();
    cell().check_inputs({sequences.slice(0, 1).concatenate(sequences.slice(2, sequences.rank()))});
  }

  io::Json get_config() const override { return RNNImpl::with_changes(written(layer_config(), arguments_)); }

 private:
  ConvLSTMArguments<Size> arguments_;
};

}  // namespace

template <class Size>
std::shared_ptr<LayerImpl> make_conv_lstm(const ConvLSTMArguments<Size>& arguments) {
  return std::make_shared<ConvLSTMImpl<Size>>(resolved(arguments));
}

template std::shared_ptr<LayerImpl> make_conv_lstm(const ConvLSTMArguments<Size1>& arguments);
template std::shared_ptr<LayerImpl> make_conv_lstm(const ConvLSTMArguments<Size2>& arguments);
template std::shared_ptr<LayerImpl> make_conv_lstm(const ConvLSTMArguments<Size3>& arguments);

}  // namespace rhyton::layers
