#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/layers/activations.h>
#include <rhyton/layers/constraints.h>
#include <rhyton/layers/core/lora_layer.h>
#include <rhyton/layers/initializers.h>
#include <rhyton/layers/layer.h>
#include <rhyton/layers/quantizers.h>
#include <rhyton/layers/regularizers.h>

namespace rhyton::layers {

/// Fields in the order of `keras.layers.Dense`.
struct DenseOptions {
  ByName by_name = ByName();
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
  /// The quantizers of a quantized layer; see `Layer::quantize`.
  quantizers::QuantizationConfig quantization_config = {};
  std::string name = {};
  std::string dtype = {};
  bool trainable = true;
};

/// All arguments of Dense.
struct DenseArguments : DenseOptions {
  std::int64_t units = 0;

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields.required("units", self.units);
    fields("activation", self.activation);
    fields("use_bias", self.use_bias);
    fields("kernel_initializer", self.kernel_initializer);
    fields("bias_initializer", self.bias_initializer);
    fields("kernel_regularizer", self.kernel_regularizer);
    fields("bias_regularizer", self.bias_regularizer);
    fields("kernel_constraint", self.kernel_constraint);
    fields("bias_constraint", self.bias_constraint);
    fields.unless_default("quantization_config", self.quantization_config, quantizers::QuantizationConfig());
    fields.unless_default("lora_rank", self.lora_rank, std::optional<std::int64_t>());
    fields.unless_default("lora_alpha", self.lora_alpha, std::optional<double>());
  }
};

/// activation(x · kernel + bias) on the last axis: [..., features] -> [..., units]. Weights: kernel [features, units],
/// bias [units]; with LoRA also lora_kernel_a [features, rank] and lora_kernel_b [rank, units], quantized also
/// kernel_scale [units]. As Keras documents it, the
/// argument `lora_alpha` holds for `lora_rank`, where Keras 3.15 uses the rank. See https://keras.io/api/layers/core_layers/dense.
///
/// Throws ValueError for units below 1 and, when called, for an input of rank below 2 or of another number of features
/// than the first.
class Dense : public LoraLayer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "Dense";
  using Arguments = DenseArguments;

  explicit Dense(std::int64_t units, const DenseOptions& options = {});
  /// `units` must be an integer.
  explicit Dense(std::floating_point auto units, const DenseOptions& options = {}) = delete;
  static Dense from_config(const io::Json& config);
};

}  // namespace rhyton::layers
