#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <rhyton/framework/by_name.h>
#include <rhyton/layers/layer.h>
#include <rhyton/layers/quantizers.h>

namespace rhyton::models {

/// Which layers of a model `quantize` changes: those in whose name a regular expression, or one of several, is found, or
/// for which a function returns true. All if it is empty.
class LayerFilter {
 public:
  LayerFilter() = default;
  LayerFilter(const char* pattern)  // NOLINT(google-explicit-constructor): as Keras's argument
      : LayerFilter(std::vector<std::string>{pattern}) {}
  LayerFilter(const std::string& pattern)  // NOLINT(google-explicit-constructor)
      : LayerFilter(std::vector<std::string>{pattern}) {}
  LayerFilter(const std::vector<std::string>& patterns);                 // NOLINT(google-explicit-constructor)
  LayerFilter(std::function<bool(const layers::Layer& layer)> function)  // NOLINT(google-explicit-constructor)
      : selects_(std::move(function)) {}

  bool selects(const layers::Layer& layer) const { return selects_ == nullptr || selects_(layer); }

 private:
  std::function<bool(const layers::Layer& layer)> selects_;
};

/// Fields in the order of Keras's signature.
struct QuantizeOptions {
  ByName by_name = ByName();
  /// Other quantizers than those of the mode.
  quantizers::QuantizationConfig config = {};
  LayerFilter filters = {};
};

}  // namespace rhyton::models
