#include <algorithm>
#include <mutex>

#include <rhyton/framework/error.h>
#include <rhyton/framework/tensor/step_mutex.h>
#include <rhyton/layers/layer.h>
#include <rhyton/layers/policy.h>

namespace rhyton::layers {

void LayerImpl::quantize(const std::string& mode, const quantizers::QuantizationConfig&) {
  require_quantizable(mode);
  throw NotImplementedError("Layer " + class_name() + " does not have a `quantize` method implemented.");
}

void LayerImpl::require_quantizable(const std::string& mode) const {
  if (!is_built()) {
    throw ValueError("Cannot quantize a layer that isn't yet built. Layer '" + name() + "' (of type '" + class_name() +
                     "') is not built yet.");
  }
  if (!quantization_mode_.empty()) {
    throw ValueError("Layer '" + name() + "' is already quantized with dtype_policy='" + dtype_policy_ +
                     "'. Received: mode=" + mode);
  }
  require_quantization_mode(mode, compute_dtype_);
}

void LayerImpl::set_quantized(const std::string& mode) {
  quantization_mode_ = mode;
  dtype_policy_ = mode + "_from_" + dtype_policy_;
}

void LayerImpl::remove_weight(const Variable& weight) {
  const auto is_it = [&](const Variable& variable) { return variable.is_same(weight); };
  std::erase_if(own_variables_, is_it);
  std::erase_if(own_trainable_, is_it);
  std::erase_if(own_non_trainable_, is_it);
  std::erase_if(regularized_, [&](const auto& entry) { return is_it(entry.first); });
}

void Layer::quantize(const std::string& mode, const quantizers::QuantizationConfig& config) const {
  require_quantization_mode(mode, DType::float32);
  if (!config.is_empty() && config.mode() != mode) {
    throw ValueError("Contradictory arguments: mode='" + mode + "' but config.mode='" + config.mode() + "'");
  }
  require_impl();
  const std::scoped_lock lock(making_mutex());
  impl_->quantize(mode, config);
}

void Layer::quantize(const quantizers::QuantizationConfig& config) const {
  if (config.is_empty()) throw ValueError("You must provide either `mode` or `config` to `quantize`.");
  quantize(config.mode(), config);
}

}  // namespace rhyton::layers
