#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <rhyton/layers/core/lora_layer.h>
#include <rhyton/layers/quantizers.h>

namespace rhyton::layers {

/// What the implementations of layers with a kernel that can be quantized share. The quantized kernel has dtype int8; a
/// second weight, kernel_scale, holds the numbers that it was multiplied by.
class QuantizableLayerImpl : public LoraLayerImpl {
 public:
  void quantize(const std::string& mode, const quantizers::QuantizationConfig& config) override;
  bool can_be_quantized() const override { return true; }

  /// The kernel, the bias, the scale.
  std::vector<std::pair<std::string, Variable>> saved_variables() const override;
  /// With LoRA, the kernel and scale of the sum, quantized again.
  Tensor saved_value(const Variable& variable) const override;

 protected:
  QuantizableLayerImpl(const LayerOptions& options, std::optional<std::int64_t> rank, std::optional<double> alpha,
                       quantizers::QuantizationConfig config);

  bool is_quantized() const { return !scale_.is_empty(); }
  /// Adds the kernel, of int8 and with a scale for a layer whose policy says so.
  void add_kernel_of_policy(const WeightOptions& options);
  const Variable& scale_variable() const { return scale_; }
  /// Empty if inputs are not quantized.
  quantizers::Quantizer inputs_quantizer() const;

  /// The arguments with what holds now: rank and alpha of LoRA, and the quantizers.
  template <class Arguments>
  Arguments with_adaptations(Arguments arguments) const {
    arguments.quantization_config = config_;
    return with_lora(std::move(arguments));
  }

  /// The axes of the kernel that one number of the scale holds for.
  virtual std::vector<int> axes_of_scale() const = 0;
  /// The scale, as a quantizer returns it, in the layout of the weight, and back.
  virtual Tensor stored_scale(const Tensor& scale) const = 0;
  virtual Tensor kernel_scale(const Tensor& stored) const = 0;

 private:
  quantizers::AbsMaxQuantized quantized(const Tensor& kernel) const;
  void add_quantized_kernel(const Shape& shape, const std::string& name);

  quantizers::QuantizationConfig config_;
  Variable scale_;
};

}  // namespace rhyton::layers
