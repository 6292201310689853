#pragma once

#include <concepts>
#include <cstdint>
#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/layers/activations.h>
#include <rhyton/layers/initializers.h>
#include <rhyton/layers/layer.h>
#include <rhyton/layers/regularizers.h>
#include <rhyton/layers/window_size.h>

namespace rhyton::layers {

/// Fields in the order of `keras.layers.Conv2D`.
struct Conv2DOptions {
  ByName by_name = ByName();
  Size2 strides = {1, 1};
  /// "valid", or "same": the output is as large as the input divided by the strides.
  std::string padding = "valid";
  /// "channels_last" or "channels_first"; `config::image_data_format()` where it is empty.
  std::string data_format = {};
  Size2 dilation_rate = {1, 1};
  std::int64_t groups = 1;
  ActivationFunction activation = {};
  bool use_bias = true;
  Initializer kernel_initializer = "glorot_uniform";
  Initializer bias_initializer = "zeros";
  Regularizer kernel_regularizer = {};
  Regularizer bias_regularizer = {};
  Regularizer activity_regularizer = {};
  std::string name = {};
  std::string dtype = {};
  bool trainable = true;
};

/// All arguments of Conv2D.
struct Conv2DArguments : Conv2DOptions {
  std::int64_t filters = 0;
  Size2 kernel_size = {};

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
    fields.constant("kernel_constraint", nullptr);
    fields.constant("bias_constraint", nullptr);
  }
};

/// activation(convolution(x, kernel) + bias): [batch, height, width, channels] -> [batch, height', width', filters],
/// with the channels second in both for "channels_first". Weights: kernel [kernel height, kernel width, channels /
/// groups, filters], bias [filters]. See https://keras.io/api/layers/convolution_layers/convolution2d.
///
/// Throws ValueError in Keras's words for numbers that are not positive, strides together with a dilation rate, filters
/// that the groups do not divide and unknown names; when called, for an input of another rank or number of channels, or
/// smaller than the kernel.
class Conv2D : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "Conv2D";
  using Arguments = Conv2DArguments;

  Conv2D(std::int64_t filters, Size2 kernel_size, const Conv2DOptions& options = {});
  /// `filters` must be an integer.
  Conv2D(std::floating_point auto filters, Size2 kernel_size, const Conv2DOptions& options = {}) = delete;
  static Conv2D from_config(const io::Json& config);
};

}  // namespace rhyton::layers
