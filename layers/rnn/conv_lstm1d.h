#pragma once

#include <concepts>
#include <cstdint>

#include <rhyton/layers/rnn/conv_lstm.h>
#include <rhyton/layers/rnn/rnn.h>
#include <rhyton/layers/window_size.h>

namespace rhyton::layers {

using ConvLSTM1DOptions = ConvLSTMOptions<Size1>;

/// LSTM over lines, with convolutions in place of products: Convolutional LSTM network (Shi et al., 2015),
/// http://arxiv.org/abs/1506.04214v1. [batch, steps, rows, channels] -> [batch, rows', filters], with
/// `return_sequences` [batch, steps, rows', filters], with the channels before the other axes for "channels_first". The
/// states have the shape of the output without steps. Weights, the gates side by side in the order input, forget, cell,
/// output: kernel [kernel_size, channels, 4 · filters], recurrent_kernel [kernel_size, filters, 4 · filters], bias [4 ·
/// filters]. Arguments of calls and the other options are those of RNN.
/// See https://keras.io/api/layers/recurrent_layers/conv_lstm1d.
///
/// Throws ValueError in Keras's words for sizes that are not positive, strides together with a dilation rate and
/// unknown names; when called, for an input of another rank, of unknown or changed size, or smaller than the kernel,
/// and the errors of RNN.
class ConvLSTM1D : public RNN {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "ConvLSTM1D";
  using Arguments = ConvLSTMArguments<Size1>;

  ConvLSTM1D(std::int64_t filters, Size1 kernel_size, const ConvLSTM1DOptions& options = {});
  /// `filters` must be an integer.
  ConvLSTM1D(std::floating_point auto filters, Size1 kernel_size, const ConvLSTM1DOptions& options = {}) = delete;
  static ConvLSTM1D from_config(const io::Json& config);
};

}  // namespace rhyton::layers
