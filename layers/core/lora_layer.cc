#include <rhyton/layers/core/lora_layer.h>

#include <mutex>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/listeners.h>
#include <rhyton/framework/ops/matmul.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/framework/tensor/result_type.h>
#include <rhyton/framework/tensor/step_mutex.h>

namespace rhyton::layers {
namespace {

LoraLayerImpl& lora_impl(const Layer& layer) { return static_cast<LoraLayerImpl&>(*layer.impl()); }

Shape with_last(const Shape& shape, std::int64_t length) { return shape.with(shape.rank() - 1, length); }

}  // namespace

LoraLayer LoraLayer::from_layer(const Layer& layer) {
  if (const auto impl = std::dynamic_pointer_cast<LoraLayerImpl>(layer.impl())) return LoraLayer(impl);
  throw TypeError("Expected a layer with LoRA: a Dense, EinsumDense, Embedding, ReversibleEmbedding or convolution. " +
                  (layer.is_empty() ? std::string("Received an empty handle.")
                                    : "Received layer '" + layer.name() + "' of class " + layer.class_name() + "."));
}

LoraLayer::LoraLayer(const std::shared_ptr<LoraLayerImpl>& impl) : Layer(impl) {}

bool LoraLayer::is_possible_for(const Layer& layer) {
  return dynamic_cast<const LoraLayerImpl*>(layer.impl().get()) != nullptr;
}

void LoraLayer::enable_lora(std::int64_t rank, const LoraOptions& options) const {
  require_impl();
  lora_impl(*this).enable_lora(rank, options);
}

bool LoraLayer::lora_enabled() const {
  require_impl();
  return lora_impl(*this).lora_enabled();
}

LoraLayerImpl::LoraLayerImpl(const LayerOptions& options, std::optional<std::int64_t> rank, std::optional<double> alpha)
    : LayerImpl(options), alpha_(alpha) {
  if (rank.value_or(0) == 0) return;
  rank_ = rank;
  if (!alpha_) alpha_ = static_cast<double>(*rank);
}

void LoraLayerImpl::add_kernel(const WeightOptions& options, bool is_weight) {
  regularizer_ = options.regularizer;
  has_constraint_ = !options.constraint.is_empty();
  if (is_weight) kernel_ = add_weight(options);
}

void LoraLayerImpl::replace_kernel(const WeightOptions& options) {
  if (!kernel_.is_empty()) remove_weight(kernel_);
  kernel_ = add_weight(options);
}

void LoraLayerImpl::enable_requested_lora() {
  if (rank_) add_lora_weights(*rank_, {.lora_alpha = alpha_});
}

void LoraLayerImpl::enable_lora(std::int64_t rank, const LoraOptions& options) {
  if (!is_built()) throw ValueError("Cannot enable lora on a layer that isn't yet built.");
  const std::scoped_lock lock(making_mutex());
  const WithoutStepMutex variables_are_new;
  const InitScope eager;
  add_lora_weights(rank, options);
}

void LoraLayerImpl::add_lora_weights(std::int64_t rank, const LoraOptions& options) {
  const std::string& name = kernel_.name();
  if (has_constraint_) {
    const std::string of_what = name == "embeddings" ? "embedding" : name;
    throw ValueError("Lora is incompatible with " + of_what +
                     " constraints. In order to enable lora on this layer, remove the `" + name +
                     "_constraint` argument.");
  }
  if (lora_enabled()) throw ValueError("lora is already enabled. This can only be done once per layer.");
  if (rank < 1) {
    throw ValueError("Received an invalid value for `rank`, expected a positive integer. Received: rank=" +
                     std::to_string(rank) + " (layer '" + this->name() + "')");
  }
  const std::string prefix = "lora_" + name;
  const std::string directory = kernel_.path().substr(0, kernel_.path().size() - name.size());
  const auto add = [&](const std::string& suffix, const Shape& shape, const Initializer& initializer) {
    Variable weight = add_weight({.shape = shape,
                                  .initializer = initializer,
                                  .dtype = DType::float32,
                                  .regularizer = regularizer_,
                                  .name = prefix + suffix});
    weight.set_path(directory + prefix + suffix);
    return weight;
  };
  a_ = add("_a", with_last(kernel_.shape(), rank), options.a_initializer);
  b_ = add("_b", {rank, kernel_.shape().at(-1)}, options.b_initializer);
  kernel_.set_trainable(false);
  rank_ = rank;
  alpha_ = options.lora_alpha.value_or(static_cast<double>(rank));
  lora_enabled_.store(true, std::memory_order_release);
  mark_adapted();
}

Tensor LoraLayerImpl::difference(const Tensor& a, const Tensor& b) const {
  const Tensor product = matmul(reshape(a, {-1, *rank_}), b);
  const Tensor scaled = lora_scale() == 1.0 ? product : product * lora_scale();
  return reshape(scaled, kernel_.shape());
}

Tensor LoraLayerImpl::kernel() const {
  const Tensor kernel = to_compute_dtype(kernel_);
  return lora_enabled() ? add(kernel, difference(to_compute_dtype(a_), to_compute_dtype(b_))) : kernel;
}

Tensor LoraLayerImpl::saved_value(const Variable& variable) const {
  if (!lora_enabled() || !variable.is_same(kernel_)) return variable.stored_value();
  const InitScope eager;
  const DType dtype = result_type(kernel_.dtype(), DType::float32);
  const Tensor sum = add(cast(kernel_.stored_value(), dtype), cast(lora_difference(), dtype));
  return cast(cast(sum, compute_dtype()), kernel_.dtype());
}

std::vector<Variable> LoraLayerImpl::lora_weights() const {
  return lora_enabled() ? std::vector{a_, b_} : std::vector<Variable>();
}

std::vector<std::pair<std::string, Variable>> LoraLayerImpl::saved_variables() const {
  std::vector<std::pair<std::string, Variable>> saved;
  for (const Variable& weight : own_weights()) {
    if (lora_enabled() && (weight.is_same(a_) || weight.is_same(b_))) continue;
    saved.emplace_back(std::to_string(saved.size()), weight);
  }
  return saved;
}

}  // namespace rhyton::layers
