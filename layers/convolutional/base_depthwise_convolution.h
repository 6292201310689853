#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/layers/activations.h>
#include <rhyton/layers/constraints.h>
#include <rhyton/layers/initializers.h>
#include <rhyton/layers/layer.h>
#include <rhyton/layers/regularizers.h>
#include <rhyton/layers/window_size.h>

// What DepthwiseConv1D and DepthwiseConv2D have in common. `Size` is Size1 or Size2.

namespace rhyton::layers {

/// Fields in the order of `keras.layers.DepthwiseConv2D`.
template <class Size>
struct DepthwiseConvolutionOptions {
  ByName by_name = ByName();
  Size strides = 1;
  /// "valid", or "same": the output is as large as the input divided by the strides.
  std::string padding = "valid";
  /// The number of outputs per channel.
  std::int64_t depth_multiplier = 1;
  /// "channels_last" or "channels_first"; `config::image_data_format()` where it is empty.
  std::string data_format = {};
  Size dilation_rate = 1;
  ActivationFunction activation = {};
  bool use_bias = true;
  Initializer depthwise_initializer = "glorot_uniform";
  Initializer bias_initializer = "zeros";
  Regularizer depthwise_regularizer = {};
  Regularizer bias_regularizer = {};
  Regularizer activity_regularizer = {};
  Constraint depthwise_constraint = {};
  Constraint bias_constraint = {};
  std::string name = {};
  std::string dtype = {};
  bool trainable = true;
};

/// All arguments of a depthwise convolution.
template <class Size>
struct DepthwiseConvolutionArguments : DepthwiseConvolutionOptions<Size> {
  Size kernel_size = {};

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields("depth_multiplier", self.depth_multiplier);
    fields.required("kernel_size", self.kernel_size);
    fields("strides", self.strides);
    fields("padding", self.padding);
    fields("data_format", self.data_format);
    fields("dilation_rate", self.dilation_rate);
    fields("activation", self.activation);
    fields("use_bias", self.use_bias);
    fields("depthwise_initializer", self.depthwise_initializer);
    fields("bias_initializer", self.bias_initializer);
    fields("depthwise_regularizer", self.depthwise_regularizer);
    fields("bias_regularizer", self.bias_regularizer);
    fields("activity_regularizer", self.activity_regularizer);
    fields("depthwise_constraint", self.depthwise_constraint);
    fields("bias_constraint", self.bias_constraint);
    fields.ignored("groups", 1);
  }
};

/// The implementation of DepthwiseConv1D or DepthwiseConv2D.
template <class Size>
std::shared_ptr<LayerImpl> make_depthwise_convolution(const DepthwiseConvolutionArguments<Size>& arguments);

extern template std::shared_ptr<LayerImpl> make_depthwise_convolution(
    const DepthwiseConvolutionArguments<Size1>& arguments);
extern template std::shared_ptr<LayerImpl> make_depthwise_convolution(
    const DepthwiseConvolutionArguments<Size2>& arguments);

}  // namespace rhyton::layers
