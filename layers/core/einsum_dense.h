#pragma once

#include <optional>
#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/framework/tensor/shape.h>
#include <rhyton/layers/activations.h>
#include <rhyton/layers/constraints.h>
#include <rhyton/layers/core/lora_layer.h>
#include <rhyton/layers/initializers.h>
#include <rhyton/layers/layer.h>
#include <rhyton/layers/layer_config.h>
#include <rhyton/layers/quantizers.h>
#include <rhyton/layers/regularizers.h>

namespace rhyton::layers {

/// Fields in the order of `keras.layers.EinsumDense`.
struct EinsumDenseOptions {
  ByName by_name = ByName();
  ActivationFunction activation = {};
  /// The letters of the output that the bias has; without them there is no bias.
  std::optional<std::string> bias_axes = std::nullopt;
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

/// All arguments of EinsumDense.
struct EinsumDenseArguments : EinsumDenseOptions {
  Shape output_shape = {};
  std::string equation = {};

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields.required("output_shape", self.output_shape);
    fields.required("equation", self.equation);
    fields("activation", self.activation);
    fields("bias_axes", self.bias_axes);
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

/// activation(einsum(equation, x, kernel) + bias): a Dense layer along any axes. The equation has one of the forms
/// "ab,bc->ac", "...ab,bc->...ac" and "ab...,bc->ac...", whose first part is the input, the second the kernel and the
/// third the output. `output_shape` has the lengths of the output without the batch and without the axes of "...", -1
/// (Keras's `None`) where they follow from the input: `EinsumDense("abc,cd->abd", {-1, 64}, {.bias_axes = "d"})`.
/// Weights: kernel, bias; with LoRA also lora_kernel_a, of the kernel's shape with the rank as its last axis, and
/// lora_kernel_b; quantized also kernel_scale. See https://keras.io/api/layers/core_layers/einsum_dense.
///
/// When called, throws ValueError in Keras's words for an equation of another form, for letters of kernel, output or
/// bias without a place elsewhere, for lengths that do not fit, and for an input of another rank than the first.
class EinsumDense : public LoraLayer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "EinsumDense";
  using Arguments = EinsumDenseArguments;

  explicit EinsumDense(const std::string& equation, const Shape& output_shape, const EinsumDenseOptions& options = {});
  static EinsumDense from_config(const io::Json& config);
};

}  // namespace rhyton::layers
