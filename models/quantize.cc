#include <mutex>
#include <unordered_set>

#include <rhyton/framework/error.h>
#include <rhyton/framework/regular_expression.h>
#include <rhyton/framework/tensor/step_mutex.h>
#include <rhyton/framework/warning.h>
#include <rhyton/layers/policy.h>
#include <rhyton/models/model.h>
#include <rhyton/models/quantize_options.h>

namespace rhyton::models {
namespace {

using Seen = std::unordered_set<const void*>;

/// The layers without sublayers within a layer, in order.
void quantize_leaves(const layers::Layer& layer, const std::string& mode, const QuantizeOptions& options, Seen& seen) {
  if (!seen.insert(layer.impl().get()).second) return;
  const std::vector<layers::Layer> inner = layer.impl()->sublayers();
  for (const layers::Layer& sublayer : inner) quantize_leaves(sublayer, mode, options, seen);
  if (!inner.empty() || !options.filters.selects(layer)) return;
  try {
    layer.quantize(mode, options.config);
  } catch (const NotImplementedError& error) {
    warn(error.what());
  }
}

}  // namespace

LayerFilter::LayerFilter(const std::vector<std::string>& patterns) {
  std::vector<RegularExpression> expressions;
  for (const std::string& pattern : patterns) expressions.emplace_back(pattern);
  selects_ = [expressions](const layers::Layer& layer) {
    for (const RegularExpression& expression : expressions) {
      if (expression.is_found_in(layer.name())) return true;
    }
    return false;
  };
}

void Model::quantize(const std::string& mode, const QuantizeOptions& options) const {
  layers::require_quantization_mode(mode, DType::float32);
  require_impl();
  const std::scoped_lock lock(making_mutex());
  Seen seen;
  quantize_leaves(*this, mode, options, seen);
}

void Model::quantize(const QuantizeOptions& options) const {
  if (options.config.is_empty()) throw ValueError("You must provide either `mode` or `config` to `quantize`.");
  quantize(options.config.mode(), options);
}

}  // namespace rhyton::models
