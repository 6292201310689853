#pragma once

#include <string>
#include <vector>

#include <rhyton/layers/preprocessing/lookup_layer.h>
#include <rhyton/layers/preprocessing/string_lookup.h>

namespace rhyton::layers {

/// The implementation of StringLookup, which TextVectorization uses.
class StringLookupImpl final : public LookupLayer<StringLookup, std::string> {
 public:
  using LookupLayer::LookupLayer;

  /// Throws NotImplementedError: there are no tensors of strings.
  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool training) override;
};

/// Throws the NotImplementedError of layers that are called on strings, and cannot be part of a model.
[[noreturn]] void throw_takes_strings(const LayerImpl& layer);

}  // namespace rhyton::layers
