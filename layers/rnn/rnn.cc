#include <rhyton/layers/rnn/rnn.h>

#include <unordered_set>

#include <rhyton/framework/tensor/step_mutex.h>
#include <rhyton/layers/layer_config.h>
#include <rhyton/layers/rnn/base_rnn.h>
#include <rhyton/layers/rnn/stacked_rnn_cells.h>

namespace rhyton::layers {

RNN::RNN(const Layer& cell, const RNNOptions& options) : Layer(std::make_shared<RNNImpl>(cell, options)) {}

RNN::RNN(const std::vector<Layer>& cells, const RNNOptions& options) : RNN(Layer(StackedRNNCells(cells)), options) {}

RNN RNN::from_config(const io::Json& config) {
  const auto arguments = read_layer<RNN>(config);
  return RNN(arguments.cell, arguments);
}

void RNN::reset_state() const { layers::reset_states(*this); }

std::vector<Variable> RNN::states() const { return dynamic_cast<const RNNImpl&>(*impl_).states(); }

void reset_states(const Layer& layer) {
  std::unordered_set<const LayerImpl*> seen;
  std::vector<Layer> open = {layer};
  const std::unique_lock between_steps(step_mutex());
  while (!open.empty()) {
    const Layer next = open.back();
    open.pop_back();
    if (!seen.insert(next.impl().get()).second) continue;
    if (const auto* const recurrent = dynamic_cast<const RNNImpl*>(next.impl().get())) recurrent->reset_state();
    for (const Layer& sublayer : next.impl()->sublayers()) open.push_back(sublayer);
  }
}

}  // namespace rhyton::layers
