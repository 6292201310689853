#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include <rhyton/rhyton.h>

namespace rhyton::tool {

/// One layer of a model with what it takes and gives there: one entry per call.
struct LayerNode {
  layers::Layer layer;
  std::vector<std::vector<Shape>> inputs;
  std::vector<std::vector<Shape>> outputs;
};

/// The layers of a model, Inputs included, and from which to which tensors go (indices of `layers`, each pair once).
struct ModelGraph {
  std::vector<LayerNode> layers;
  std::vector<std::pair<std::size_t, std::size_t>> edges;

  /// The node of that layer; null where it is not called.
  const LayerNode* find(const layers::Layer& layer) const;
};

/// Read back from the outputs of the model. A Sequential that is not built yet is its layers in a row, without shapes.
ModelGraph graph_of(const models::Model& model);

}  // namespace rhyton::tool
