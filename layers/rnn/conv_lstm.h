#pragma once

#include <cstdint>
#include <memory>
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
#include <rhyton/layers/window_size.h>

// What ConvLSTM1D, ConvLSTM2D and ConvLSTM3D have in common. `Size` is Size1, Size2 or Size3.

namespace rhyton::layers {

/// Fields in the order of `keras.layers.ConvLSTM2D`.
template <class Size>
struct ConvLSTMOptions {
  ByName by_name = ByName();
  /// Of the convolution of the inputs. That of the state has none.
  Size strides = 1;
  /// "valid", or "same": the states are as large as the inputs divided by the strides.
  std::string padding = "valid";
  /// "channels_last" or "channels_first"; `config::image_data_format()` where it is empty.
  std::string data_format = {};
  /// Of the convolution of the inputs. That of the state has none.
  Size dilation_rate = 1;
  ActivationFunction activation = "tanh";
  /// Of the gates.
  ActivationFunction recurrent_activation = "sigmoid";
  bool use_bias = true;
  Initializer kernel_initializer = "glorot_uniform";
  Initializer recurrent_initializer = "orthogonal";
  Initializer bias_initializer = "zeros";
  /// Whether the bias of the forget gate starts with 1.
  bool unit_forget_bias = true;
  Regularizer kernel_regularizer = {};
  Regularizer recurrent_regularizer = {};
  Regularizer bias_regularizer = {};
  Regularizer activity_regularizer = {};
  Constraint kernel_constraint = {};
  Constraint recurrent_constraint = {};
  Constraint bias_constraint = {};
  /// The fraction of the inputs that is dropped in training, the same elements at all steps, others for each gate.
  double dropout = 0.0;
  /// The same of the state within its convolution.
  double recurrent_dropout = 0.0;
  std::optional<std::int64_t> seed = std::nullopt;
  bool return_sequences = false;
  bool return_state = false;
  bool go_backwards = false;
  bool stateful = false;
  /// Without effect.
  bool unroll = false;
  bool zero_output_for_mask = false;
  std::string name = {};
  std::string dtype = {};
  bool trainable = true;
};

/// All arguments of a ConvLSTM.
template <class Size>
struct ConvLSTMArguments : ConvLSTMOptions<Size> {
  std::int64_t filters = 0;
  Size kernel_size = {};

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    RNNArguments::visit_settings(self, fields);
    fields.required("filters", self.filters);
    fields.required("kernel_size", self.kernel_size);
    fields("strides", self.strides);
    fields("padding", self.padding);
    fields("data_format", self.data_format);
    fields("dilation_rate", self.dilation_rate);
    RecurrentListing::visit_functions(self, fields);
    RecurrentListing::visit_initializers(self, fields);
    fields("unit_forget_bias", self.unit_forget_bias);
    RecurrentListing::visit_restraints(self, fields);
    fields("seed", self.seed);
  }
};

/// The implementation of ConvLSTM1D, ConvLSTM2D or ConvLSTM3D.
template <class Size>
std::shared_ptr<LayerImpl> make_conv_lstm(const ConvLSTMArguments<Size>& arguments);

extern template std::shared_ptr<LayerImpl> make_conv_lstm(const ConvLSTMArguments<Size1>& arguments);
extern template std::shared_ptr<LayerImpl> make_conv_lstm(const ConvLSTMArguments<Size2>& arguments);
extern template std::shared_ptr<LayerImpl> make_conv_lstm(const ConvLSTMArguments<Size3>& arguments);

}  // namespace rhyton::layers
