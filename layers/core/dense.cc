#include <rhyton/layers/core/dense.h>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/matmul.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/layers/core/quantizable_layer.h>
#include <rhyton/layers/input_spec.h>
#include <rhyton/layers/layer_config.h>
#include <rhyton/layers/named_weights.h>

namespace rhyton::layers {
namespace {

class DenseImpl final : public QuantizableLayerImpl {
 public:
  explicit DenseImpl(const DenseArguments& options)
      : QuantizableLayerImpl(base_options(options), options.lora_rank, options.lora_alpha, options.quantization_config),
        options_(options) {
    if (options.units <= 0) {
      throw ValueError("Received an invalid value for `units`, expected a positive integer. Received: units=" +
                       std::to_string(options.units));
    }
  }

  std::string class_name() const override { return Dense::keras_name; }
  bool supports_masking() const override { return true; }

  void check_inputs(const std::vector<Shape>& inputs) const override {
    InputSpec spec{.min_ndim = 2};
    if (!kernel_variable().is_empty()) spec.axes = {{-1, kernel_variable().shape()[0]}};
    check_input(*this, inputs, spec);
  }

  void build(const std::vector<Shape>& inputs) override {
    add_kernel_of_policy(kernel_weight(options_, {inputs[0].at(-1), options_.units}));
    if (options_.use_bias) bias_ = add_weight(bias_weight(options_, {options_.units}));
    enable_requested_lora();
  }

  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool) override {
    const Tensor x = to_compute_dtype(inputs[0]);
    Tensor y = is_quantized() ? quantized_call(x, steps()) : matmul(x, kernel());
    if (!bias_.is_empty()) y = add(y, to_compute_dtype(bias_));
    return {options_.activation(y)};
  }

  io::Json get_config() const override { return written(LayerImpl::get_config(), with_adaptations(options_)); }

 protected:
  std::vector<int> axes_of_scale() const override { return {0}; }
  Tensor stored_scale(const Tensor& scale) const override { return squeeze(scale, {0}); }
  Tensor kernel_scale(const Tensor& stored) const override { return stored; }

 private:
  Tensor scaled_product(const Tensor& x, const Tensor& kernel, const Tensor& scale) const {
    const quantizers::Quantizer quantizer = inputs_quantizer();
    if (quantizer.is_empty()) return divide(to_compute_dtype(matmul(x, kernel)), scale);
    const auto [values, inputs_scale] = quantizer(x, std::vector{-1});
    return divide(to_compute_dtype(matmul(values, kernel)), multiply(scale, inputs_scale));
  }

  Tensor input_gradient(const Tensor& upstream, const Tensor& kernel) const {
    return matmul(upstream, kernel, false, true);
  }

  Steps steps() const {
    return {.scaled_product = [this](const Tensor& inputs, const Tensor& kernel,
                                     const Tensor& scale) { return scaled_product(inputs, kernel, scale); },
            .input_gradient = [this](const Tensor& upstream,
                                     const Tensor& kernel) { return input_gradient(upstream, kernel); },
            .product_with_a = [](const Tensor& inputs, const Tensor& a) { return matmul(inputs, a); }};
  }

  DenseArguments options_;
  Variable bias_;
};

}  // namespace

Dense::Dense(std::int64_t units, const DenseOptions& options)
    : LoraLayer(std::make_shared<DenseImpl>(DenseArguments{options, units})) {}

Dense Dense::from_config(const io::Json& config) {
  const auto arguments = read_layer<Dense>(config);
  return Dense(arguments.units, arguments);
}

}  // namespace rhyton::layers
