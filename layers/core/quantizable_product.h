#pragma once

#include <vector>

#include <rhyton/layers/core/quantizable_layer.h>

namespace rhyton::layers {

/// What the implementations of quantizable layers share that multiply their inputs by the kernel.
class QuantizableProductImpl : public QuantizableLayerImpl {
 protected:
  using QuantizableLayerImpl::QuantizableLayerImpl;

  /// The output of a quantized layer without its bias, with what LoRA adds.
  Tensor quantized_call(const Tensor& x) const;

  /// The product of inputs and a kernel, or the matrix a of LoRA in its place.
  virtual Tensor product(const Tensor& x, const Tensor& kernel) const = 0;
  /// The gradient of the inputs.
  virtual Tensor input_gradient(const Tensor& upstream, const Tensor& kernel) const = 0;
  /// The axes of the inputs over which the product sums.
  virtual std::vector<int> reduced_axes() const = 0;
  /// A scale of inputs, where these axes have length 1, in the layout of the product.
  virtual Tensor result_scale(const Tensor& inputs_scale) const = 0;

 private:
  /// The product of inputs, quantized if they are to be, and the quantized kernel, divided by the scales.
  Tensor scaled_product(const Tensor& x, const Tensor& kernel, const Tensor& scale) const;
};

}  // namespace rhyton::layers
