#pragma once

#include <concepts>
#include <cstdint>

#include <rhyton/layers/rnn/conv_lstm.h>
#include <rhyton/layers/rnn/rnn.h>
#include <rhyton/layers/window_size.h>

namespace rhyton::layers {

using ConvLSTM3DOptions = ConvLSTMOptions<Size3>;

/// LSTM over volumes, with convolutions in place of products: Convolutional LSTM network (Shi et al., 2015),
/// http://arxiv.org/abs/1506.04214v1. [batch, steps, depth, rows, columns, channels] -> [batch, depth', rows',
/// columns', filters], with `return_sequences` [batch, steps, depth', rows', columns', filters], with the channels
/// before the other axes for "channels_first". The states have the shape of the output without steps. Weights, the
/// gates side by side in the order input, forget, cell, output: kernel [depth, height, width, channels, 4 · filters],
/// recurrent_kernel [depth, height, width, filters, 4 · filters], bias [4 · filters]. Arguments of calls and the other
/// options are those of RNN.
/// See https://keras.io/api/layers/recurrent_layers/conv_lstm3d.
///
/// Throws ValueError in Keras's words for sizes that are not positive, strides together with a dilation rate and
/// unknown names; when called, for an input of another rank, of unknown or changed size, or smaller than the kernel,
/// and the errors of RNN.
class ConvLSTM3D : public RNN {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "ConvLSTM3D";
  using Arguments = ConvLSTMArguments<Size3>;

  ConvLSTM3D(std::int64_t filters, Size3 kernel_size, const ConvLSTM3DOptions& options = {});
  /// `filters` must be an integer.
  ConvLSTM3D(std::floating_point auto filters, Size3 kernel_size, const ConvLSTM3DOptions& options = {}) = delete;
  static ConvLSTM3D from_config(const io::Json& config);
};

}  // namespace rhyton::layers
