#pragma once

#include <string>
#include <vector>

#include <rhyton/layers/host_layer.h>
#include <rhyton/layers/preprocessing/lookup_layer.h>
#include <rhyton/layers/preprocessing/string_lookup.h>

namespace rhyton::layers {

/// The implementation of StringLookup, which TextVectorization uses.
class StringLookupImpl final : public LookupLayer<StringLookup, std::string, HostLayer> {
 public:
  using LookupLayer::LookupLayer;

  std::vector<Tensor> call_on_host(const std::vector<Tensor>& inputs) const override;
  bool takes_strings() const override { return !lookup().is_inverted(); }

 protected:
  std::vector<Tensor> infer_on_host(const std::vector<Tensor>& inputs) const override;

 private:
  /// Throws TypeError for numbers, or with `invert` for strings.
  void require_kind(const Tensor& inputs) const;
};

/// Throws TypeError for a layer that takes strings unless that is their dtype.
void require_strings(const LayerImpl& layer, const Tensor& inputs);

}  // namespace rhyton::layers
