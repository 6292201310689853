#include <rhyton/layers/core/quantizable_layer.h>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/listeners.h>
#include <rhyton/framework/tensor/step_mutex.h>

namespace rhyton::layers {

QuantizableLayerImpl::QuantizableLayerImpl(const LayerOptions& options, std::optional<std::int64_t> rank,
                                           std::optional<double> alpha, quantizers::QuantizationConfig config)
    : LoraLayerImpl(options, rank, alpha), config_(std::move(config)) {}

void QuantizableLayerImpl::add_quantized_kernel(const Shape& shape, const std::string& name) {
  const InitScope eager;
  replace_kernel({.shape = shape, .initializer = "zeros", .dtype = DType::int8, .trainable = false, .name = name});
  Shape reduced = shape;
  for (const int axis : axes_of_scale()) reduced[axis] = 1;
  const Tensor scale = stored_scale(Tensor::zeros(reduced));
  scale_ = add_weight({.shape = scale.shape(), .initializer = "ones", .trainable = false, .name = name + "_scale"});
}

void QuantizableLayerImpl::add_kernel_of_policy(const WeightOptions& options) {
  add_kernel(options, quantization_mode().empty());
  if (!quantization_mode().empty()) add_quantized_kernel(options.shape, options.name);
}

quantizers::Quantizer QuantizableLayerImpl::inputs_quantizer() const {
  return config_.is_empty() ? quantizers::AbsMaxQuantizer() : config_.activation_quantizer();
}

quantizers::AbsMaxQuantized QuantizableLayerImpl::quantized(const Tensor& kernel) const {
  auto [values, scale] = quantizers::abs_max_quantize(kernel, axes_of_scale());
  return {values, stored_scale(scale)};
}

void QuantizableLayerImpl::quantize(const std::string& mode, const quantizers::QuantizationConfig& config) {
  if (!can_be_quantized()) return LoraLayerImpl::quantize(mode, config);
  require_quantizable(mode);
  const WithoutStepMutex variables_are_new;
  const InitScope eager;
  const Variable old = kernel_variable();
  const quantizers::QuantizationConfig used = config.is_empty() ? quantizers::Int8QuantizationConfig() : config;
  quantizers::AbsMaxQuantized result;
  if (used.weight_quantizer().is_empty()) {
    result = quantized(old.stored_value());
  } else {
    result = used.weight_quantizer()(old.stored_value());
    result.scale = stored_scale(result.scale);
  }
  const std::string directory = old.path().substr(0, old.path().size() - old.name().size());
  add_quantized_kernel(old.shape(), old.name());
  Variable kernel = kernel_variable();
  kernel.set_path(old.path());
  scale_.set_path(directory + scale_.name());
  kernel.assign(result.outputs);
  scale_.assign(result.scale);
  config_ = used;
  set_quantized(mode);
  mark_adapted();
}

std::vector<std::pair<std::string, Variable>> QuantizableLayerImpl::saved_variables() const {
  std::vector<std::pair<std::string, Variable>> saved = LoraLayerImpl::saved_variables();
  if (!is_quantized()) return saved;
  // Keras's order: the kernel, what else there is, the scale.
  std::vector<Variable> variables = {kernel_variable()};
  for (const auto& [name, variable] : saved) {
    if (!variable.is_same(kernel_variable()) && !variable.is_same(scale_)) variables.push_back(variable);
  }
  variables.push_back(scale_);
  saved.clear();
  for (const Variable& variable : variables) saved.emplace_back(std::to_string(saved.size()), variable);
  return saved;
}

Tensor QuantizableLayerImpl::saved_value(const Variable& variable) const {
  const bool is_merged = lora_enabled() && is_quantized();
  if (!is_merged) return LoraLayerImpl::saved_value(variable);
  const bool is_kernel = variable.is_same(kernel_variable());
  if (!is_kernel && !variable.is_same(scale_)) return variable.stored_value();
  const InitScope eager;
  const Tensor kernel =
      divide(cast(kernel_variable().stored_value(), compute_dtype()), kernel_scale(scale_.stored_value()));
  const auto [values, scale] = quantized(add(kernel, lora_difference()));
  return is_kernel ? values : cast(scale, scale_.dtype());
}

}  // namespace rhyton::layers
