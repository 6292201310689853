#include <rhyton/layers/core/quantizable_product.h>

#include <memory>

#include <rhyton/framework/ops/custom_gradient.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/matmul.h>

namespace rhyton::layers {

Tensor QuantizableProductImpl::quantized_call(const Tensor& x) const {
  // A tape may differentiate after the last handle of the layer is gone.
  const auto self = std::static_pointer_cast<const QuantizableProductImpl>(shared_from_this());
  const auto function = custom_gradient([self](const std::vector<Tensor>& arguments) {
    const Tensor& kernel = arguments[1];
    const Tensor& scale = arguments[2];
    const auto gradient = [self, kernel, scale](const std::vector<Tensor>& upstream) {
      const Tensor real = divide(self->to_compute_dtype(kernel), self->kernel_scale(scale));
      return std::vector{self->input_gradient(upstream.front(), real), Tensor(), Tensor()};
    };
    return WithGradient{{self->scaled_product(arguments[0], kernel, scale)}, gradient};
  });
  Tensor y = function({x, kernel_variable().value(), to_compute_dtype(scale_variable())}).front();
  if (!lora_enabled()) return y;
  const Tensor added = matmul(product(x, to_compute_dtype(lora_a())), to_compute_dtype(lora_b()));
  return to_compute_dtype(add(y, multiply(added, lora_scale())));
}

Tensor QuantizableProductImpl::scaled_product(const Tensor& x, const Tensor& kernel, const Tensor& scale) const {
  const quantizers::Quantizer quantizer = inputs_quantizer();
  if (quantizer.is_empty()) return divide(to_compute_dtype(product(x, kernel)), scale);
  const auto [values, inputs_scale] = quantizer(x, reduced_axes());
  return divide(to_compute_dtype(product(values, kernel)), multiply(scale, result_scale(inputs_scale)));
}

}  // namespace rhyton::layers
