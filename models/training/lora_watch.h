#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include <rhyton/layers/core/lora_layer.h>
#include <rhyton/layers/layer.h>

namespace rhyton::training {

/// Notices that LoRA was enabled in layers of a model, whose compiled steps then compute what the model was before.
class LoraWatch {
 public:
  /// Whether LoRA was enabled since the last call or, at the first call for the model as it is built, is enabled.
  bool has_changed(const layers::Layer& model);
  /// Forgets the layers, for a model that has others now.
  void reset();

 private:
  std::mutex mutex_;
  bool is_watching_ = false;
  std::vector<std::shared_ptr<const layers::LoraLayerImpl>> without_lora_;
};

}  // namespace rhyton::training
