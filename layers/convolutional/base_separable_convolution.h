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

// What SeparableConv1D and SeparableConv2D have in common. `Size` is Size1 or Size2.

namespace rhyton::layers {

/// Fields in the order of `keras.layers.SeparableConv2D`.
template <class Size>
struct SeparableConvolutionOptions {
  ByName by_name = ByName();
  Size strides = 1;
  /// "valid", or "same": the output is as large as the input divided by the strides.
  std::string padding = "valid";
  /// "channels_last" or "channels_first"; `config::image_data_format()` where it is empty.
  std::string data_format = {};
  Size dilation_rate = 1;
  /// The number of outputs per channel of the depthwise convolution.
  std::int64_t depth_multiplier = 1;
  ActivationFunction activation = {};
  bool use_bias = true;
  Initializer depthwise_initializer = "glorot_uniform";
  Initializer pointwise_initializer = "glorot_uniform";
  Initializer bias_initializer = "zeros";
  Regularizer depthwise_regularizer = {};
  Regularizer pointwise_regularizer = {};
  Regularizer bias_regularizer = {};
  Regularizer activity_regularizer = {};
  Constraint depthwise_constraint = {};
  Constraint pointwise_constraint = {};
  Constraint bias_constraint = {};
  std::string name = {};
  std::string dtype = {};
  bool trainable = true;
};

/// All arguments of a separable convolution.
template <class Size>
struct SeparableConvolutionArguments : SeparableConvolutionOptions<Size> {
  std::int64_t filters = 0;
  Size kernel_size = {};

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields("depth_multiplier", self.depth_multiplier);
    fields.required("filters", self.filters);
    fields.required("kernel_size", self.kernel_size);
    fields("strides", self.strides);
    fields("padding", self.padding);
    fields("data_format", self.data_format);
    fields("dilation_rate", self.dilation_rate);
    fields("activation", self.activation);
    fields("use_bias", self.use_bias);
    fields("depthwise_initializer", self.depthwise_initializer);
    fields("pointwise_initializer", self.pointwise_initializer);
    fields("bias_initializer", self.bias_initializer);
    fields("depthwise_regularizer", self.depthwise_regularizer);
    fields("pointwise_regularizer", self.pointwise_regularizer);
    fields("bias_regularizer", self.bias_regularizer);
    fields("activity_regularizer", self.activity_regularizer);
    fields("depthwise_constraint", self.depthwise_constraint);
    fields("pointwise_constraint", self.pointwise_constraint);
    fields("bias_constraint", self.bias_constraint);
    fields.ignored("groups", 1);
    // Keras 2 writes those of its base class, which the layer does not use.
    fields.ignored("kernel_initializer");
    fields.ignored("kernel_regularizer");
    fields.ignored("kernel_constraint");
  }
};

/// The implementation of SeparableConv1D or SeparableConv2D.
template <class Size>
std::shared_ptr<LayerImpl> make_separable_convolution(const SeparableConvolutionArguments<Size>& arguments);

extern template std::shared_ptr<LayerImpl> make_separable_convolution(
    const SeparableConvolutionArguments<Size1>& arguments);
extern template std::shared_ptr<LayerImpl> make_separable_convolution(
    const SeparableConvolutionArguments<Size2>& arguments);

}  // namespace rhyton::layers
