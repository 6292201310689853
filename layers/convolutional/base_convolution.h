#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/layers/activations.h>
#include <rhyton/layers/constraints.h>
#include <rhyton/layers/core/lora_layer.h>
#include <rhyton/layers/initializers.h>
#include <rhyton/layers/layer.h>
#include <rhyton/layers/regularizers.h>
#include <rhyton/layers/window_size.h>

// What Conv1D, Conv2D and Conv3D have in common. `Size` is Size1, Size2 or Size3.

namespace rhyton::layers {

/// Fields in the order of `keras.layers.Conv2D`.
template <class Size>
struct ConvolutionOptions {
  ByName by_name = ByName();
  Size strides = 1;
  /// "valid", or "same": the output is as large as the input divided by the strides. Conv1D also takes "causal": as
  /// "same", with all padding before the first step.
  std::string padding = "valid";
  /// "channels_last" or "channels_first"; `config::image_data_format()` where it is empty.
  std::string data_format = {};
  Size dilation_rate = 1;
  std::int64_t groups = 1;
  ActivationFunction activation = {};
  bool use_bias = true;
  Initializer kernel_initializer = "glorot_uniform";
  Initializer bias_initializer = "zeros";
  Regularizer kernel_regularizer = {};
  Regularizer bias_regularizer = {};
  Regularizer activity_regularizer = {};
  Constraint kernel_constraint = {};
  Constraint bias_constraint = {};
  /// If given, LoRA is enabled with this rank when the layer is built, as by `enable_lora`.
  std::optional<std::int64_t> lora_rank = std::nullopt;
  /// See LoraOptions.
  std::optional<double> lora_alpha = std::nullopt;
  std::string name = {};
  std::string dtype = {};
  bool trainable = true;
};

/// All arguments of a convolution.
template <class Size>
struct ConvolutionArguments : ConvolutionOptions<Size> {
  std::int64_t filters = 0;
  Size kernel_size = {};

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields.required("filters", self.filters);
    fields.required("kernel_size", self.kernel_size);
    fields("strides", self.strides);
    fields("padding", self.padding);
    fields("data_format", self.data_format);
    fields("dilation_rate", self.dilation_rate);
    fields("groups", self.groups);
    fields("activation", self.activation);
    fields("use_bias", self.use_bias);
    fields("kernel_initializer", self.kernel_initializer);
    fields("bias_initializer", self.bias_initializer);
    fields("kernel_regularizer", self.kernel_regularizer);
    fields("bias_regularizer", self.bias_regularizer);
    fields("activity_regularizer", self.activity_regularizer);
    fields("kernel_constraint", self.kernel_constraint);
    fields("bias_constraint", self.bias_constraint);
    fields.unless_default("lora_rank", self.lora_rank, std::optional<std::int64_t>());
    fields.unless_default("lora_alpha", self.lora_alpha, std::optional<double>());
  }
};

/// The implementation of Conv1D, Conv2D or Conv3D.
template <class Size>
std::shared_ptr<LoraLayerImpl> make_convolution(const ConvolutionArguments<Size>& arguments);

extern template std::shared_ptr<LoraLayerImpl> make_convolution(const ConvolutionArguments<Size1>& arguments);
extern template std::shared_ptr<LoraLayerImpl> make_convolution(const ConvolutionArguments<Size2>& arguments);
extern template std::shared_ptr<LoraLayerImpl> make_convolution(const ConvolutionArguments<Size3>& arguments);

}  // namespace rhyton::layers
