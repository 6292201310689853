#include <rhyton/apps/rhyton/scaling.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <set>
#include <string_view>
#include <vector>

#include <rhyton/apps/rhyton/model_graph.h>

namespace rhyton::tool {
namespace {

/// The effect of a layer on the magnitude of values.
enum class Effect { unchanged, multiplied_by_weights, unknown };

template <std::size_t count>
bool is_any_of(const std::array<std::string_view, count>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

constexpr std::array<std::string_view, 25> leaving_unchanged = {"InputLayer",
                                                                "Flatten",
                                                                "Reshape",
                                                                "Permute",
                                                                "RepeatVector",
                                                                "Identity",
                                                                "Dropout",
                                                                "SpatialDropout1D",
                                                                "SpatialDropout2D",
                                                                "ZeroPadding1D",
                                                                "ZeroPadding2D",
                                                                "Cropping1D",
                                                                "Cropping2D",
                                                                "UpSampling2D",
                                                                "Resizing",
                                                                "CenterCrop",
                                                                "RandomFlip",
                                                                "RandomCrop",
                                                                "MaxPooling1D",
                                                                "MaxPooling2D",
                                                                "AveragePooling1D",
                                                                "AveragePooling2D",
                                                                "GlobalMaxPooling2D",
                                                                "GlobalAveragePooling1D",
                                                                "GlobalAveragePooling2D"};
constexpr std::array<std::string_view, 10> with_weights = {
    "Dense",           "EinsumDense",     "Conv1D",          "Conv2D",          "Conv3D",
    "DepthwiseConv1D", "DepthwiseConv2D", "SeparableConv1D", "SeparableConv2D", "Conv2DTranspose"};

bool is_model(const layers::Layer& layer) {
  const std::string name = layer.class_name();
  return name == "Sequential" || name == "Functional" || name == "Model";
}

Effect effect_of(const layers::Layer& layer);

/// The first effect other than `unchanged` on the paths from these layers; `multiplied_by_weights` takes precedence.
Effect effect_on_paths(const ModelGraph& graph, std::vector<std::size_t> open) {
  std::set<std::size_t> seen(open.begin(), open.end());
  Effect effect = Effect::unchanged;
  while (!open.empty()) {
    const std::size_t at = open.back();
    open.pop_back();
    switch (effect_of(graph.layers[at].layer)) {
      case Effect::multiplied_by_weights:
        return Effect::multiplied_by_weights;
      case Effect::unknown:
        effect = Effect::unknown;
        break;
      case Effect::unchanged:
        for (const auto& [from, to] : graph.edges) {
          if (from == at && seen.insert(to).second) open.push_back(to);
        }
    }
  }
  return effect;
}

std::vector<std::size_t> inputs_of(const ModelGraph& graph) {
  std::vector<std::size_t> inputs;
  for (std::size_t i = 0; i < graph.layers.size(); ++i) {
    if (graph.layers[i].layer.class_name() == "InputLayer") inputs.push_back(i);
  }
  // A sequence of layers whose first layer takes the input.
  if (inputs.empty() && !graph.layers.empty()) inputs.push_back(0);
  return inputs;
}

Effect effect_of(const layers::Layer& layer) {
  if (is_model(layer)) {
    const ModelGraph graph = graph_of(models::Model::from_layer(layer));
    return effect_on_paths(graph, inputs_of(graph));
  }
  const std::string name = layer.class_name();
  if (is_any_of(with_weights, name)) return Effect::multiplied_by_weights;
  return is_any_of(leaving_unchanged, name) ? Effect::unchanged : Effect::unknown;
}

}  // namespace

bool reaches_weights_unscaled(const models::Model& model, const std::string& input) {
  const ModelGraph graph = graph_of(model);
  std::vector<std::size_t> start;
  for (const std::size_t place : inputs_of(graph)) {
    const layers::Layer& layer = graph.layers[place].layer;
    if (layer.class_name() != "InputLayer" || layer.name() == input) start.push_back(place);
  }
  return effect_on_paths(graph, start) == Effect::multiplied_by_weights;
}

}  // namespace rhyton::tool
