#pragma once

#include <string>
#include <vector>

#include <rhyton/layers/layer.h>

namespace rhyton::layers {

/// The parameters whose shapes a layer is built for: `build_parameters`, or the inputs alone.
inline std::vector<std::string> parameters_to_build(const LayerImpl& layer) {
  std::vector<std::string> parameters = layer.build_parameters();
  if (parameters.empty()) parameters.push_back(layer.call_parameters().front());
  return parameters;
}

}  // namespace rhyton::layers
