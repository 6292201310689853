#include <rhyton/models/training/random_states.h>

#include <algorithm>
#include <set>

namespace rhyton::training {
namespace {

void collect(const layers::Layer& layer, std::set<const layers::LayerImpl*>& visited, std::vector<Variable>& states) {
  if (!visited.insert(layer.impl().get()).second) return;
  const std::vector<Variable> weights = layer.impl()->own_weights();
  for (const Variable& variable : layer.impl()->own_variables()) {
    const bool is_weight =
        std::any_of(weights.begin(), weights.end(), [&](const Variable& weight) { return weight.is_same(variable); });
    if (!is_weight) states.push_back(variable);
  }
  for (const layers::Layer& child : layer.impl()->sublayers()) collect(child, visited, states);
}

}  // namespace

std::vector<Variable> random_states_of(const layers::Layer& layer) {
  std::set<const layers::LayerImpl*> visited;
  std::vector<Variable> states;
  collect(layer, visited, states);
  return states;
}

}  // namespace rhyton::training
