#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include <rhyton/layers/core/lora_layer.h>
#include <rhyton/layers/layer.h>

namespace rhyton::training {

/// Notices that LoRA was enabled in layers of a model, or that layers were quantized: compiled steps then compute what the
/// model was before.
class LoraWatch {
 public:
  /// Whether a layer was changed in this way since the last call or, at the first call for the model as it is built, at
  /// all.
  bool has_changed(const layers::Layer& model);
  /// Forgets the layers, for a model that has others now.
  void reset();

 private:
  std::mutex mutex_;
  bool is_watching_ = false;
  struct Watched {
    std::shared_ptr<const layers::LoraLayerImpl> layer;
    /// `LoraLayerImpl::adaptations` at the last call.
    std::int64_t adaptations = 0;
  };
  std::vector<Watched> layers_;
};

}  // namespace rhyton::training
