#include <rhyton/layers/core/dense.h>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/matmul.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/layers/core/quantizable_product.h>
#include <rhyton/layers/input_spec.h>
#include <rhyton/layers/layer_config.h>
#include <rhyton/layers/named_weights.h>

namespace rhyton::layers {
namespace {

class DenseImpl final : public QuantizableProductImpl {
 public:
  explicit DenseImpl(const DenseArguments& options)
      : QuantizableProductImpl(base_options(options), options.lora_rank, options.lora_alpha,
                               options.quantization_config),
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
    Tensor y = is_quantized() ? quantized_call(x) : matmul(x, kernel());
    if (!bias_.is_empty()) y = add(y, to_compute_dtype(bias_));
    return {options_.activation(y)};
  }

  io::Json get_config() const override { return written(LayerImpl::get_config(), with_adaptations(options_)); }

 protected:
  std::vector<int> axes_of_scale() const override { return {0}; }
  Tensor stored_scale(const Tensor& scale) const override { return squeeze(scale, {0}); }
  Tensor kernel_scale(const Tensor& stored) const override { return stored; }
  Tensor product(const Tensor& x, const Tensor& kernel) const override { return matmul(x, kernel); }
  Tensor input_gradient(const Tensor& upstream, const Tensor& kernel) const override {
    return matmul(upstream, kernel, false, true);
  }
  std::vector<int> reduced_axes() const override { return {-1}; }
  Tensor result_scale(const Tensor& inputs_scale) const override { return inputs_scale; }

 private:
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
