#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <rhyton/framework/tensor/tensor.h>
#include <rhyton/layers/call_node.h>
#include <rhyton/layers/layer.h>
#include <rhyton/layers/symbolic_tensor.h>
#include <rhyton/models/symbolic_tensors.h>

namespace rhyton::models {

class HostCalls;

/// Identifies a tensor by its call and output index, for sets and maps.
using TensorKey = std::pair<const layers::CallNode*, int>;
inline TensorKey key_of(const layers::SymbolicTensor& tensor) { return {tensor.node().get(), tensor.output()}; }

/// The calls of layers between given inputs and outputs, in the order in which Keras runs and lists them.
class FunctionalGraph {
 public:
  using Node = layers::CallNode;

  /// `inputs` all come from Input layers. Throws ValueError in Keras's words when an output does not depend on the
  /// inputs or two layers have the same name.
  FunctionalGraph(const SymbolicTensors& inputs, const SymbolicTensors& outputs);

  const std::vector<layers::SymbolicTensor>& inputs() const { return inputs_; }
  const std::vector<layers::SymbolicTensor>& outputs() const { return outputs_; }

  /// The layers, the ones farthest from the outputs first.
  const std::vector<layers::Layer>& layers() const { return layers_; }
  /// The calls of that layer in this graph, in the order in which they were made.
  const std::vector<const Node*>& nodes_of(const layers::LayerImpl& layer) const;
  /// The calls in the order in which `run` makes them.
  std::vector<const Node*> calls() const;
  /// The index of `node` among the calls of its layer.
  int index_of(const Node& node) const;
  bool contains(const Node& node) const { return indices_.contains(&node); }
  /// False if calls are parallel, a call has several inputs, or a layer is called twice.
  bool is_chain() const;

  /// Whether its calls are on several devices: made in different device scopes, or some outside any scope. Then each
  /// call runs on its device, and calls made outside any scope run on the model's device. A graph that is not placed
  /// runs as a whole on the model's device.
  bool is_placed() const { return is_placed_; }
  /// The device of the scope that all calls were made in; null if there is none.
  LogicalDevice* common_device() const { return is_placed_ ? nullptr : common_device_; }

  /// The calls that are made on the host before a compiled step; null if there are none.
  const HostCalls* host_calls() const { return host_calls_.get(); }

  /// Computes the outputs for these inputs. Inputs are cast to the dtypes of the Inputs, and a last axis of length 1 is
  /// added or removed, as in Keras. Throws ValueError for any other difference in rank, TypeError for strings in the
  /// place of numbers and the reverse.
  std::vector<Tensor> run(const std::vector<Tensor>& inputs, bool training) const;

 private:
  /// One call, with its tensors as indices into a list of values.
  struct Step {
    const Node* node;
    std::vector<std::size_t> inputs;
    std::vector<std::size_t> outputs;
    /// The values that are unused after this step.
    std::vector<std::size_t> last_uses;
    /// The device of the step in a placed graph; null: the model's device.
    LogicalDevice* device = nullptr;
  };

  void make_steps(const SymbolicTensors& outputs);
  void find_devices();
  std::vector<layers::SymbolicTensor> inputs_;
  std::vector<layers::SymbolicTensor> outputs_;
  /// Keeps the nodes alive.
  std::vector<std::shared_ptr<const Node>> nodes_;
  /// The calls of each layer in the order in which they were made, and the index of each call among them.
  std::unordered_map<const layers::LayerImpl*, std::vector<const Node*>> nodes_of_layers_;
  std::unordered_map<const Node*, int> indices_;
  /// Deepest first, that is, farthest from the outputs.
  std::vector<std::vector<const Node*>> nodes_by_depth_;
  std::vector<layers::Layer> layers_;
  std::vector<Step> steps_;
  std::vector<std::size_t> input_values_;
  std::vector<std::size_t> output_values_;
  std::size_t values_ = 0;
  std::shared_ptr<const HostCalls> host_calls_;
  bool is_placed_ = false;
  LogicalDevice* common_device_ = nullptr;
};

/// The input in the form of that Input, as `FunctionalGraph::run` brings it there. `path`: the position of the Input in
/// a model of several, for errors.
Tensor standardized_input(const Tensor& input, const layers::SymbolicTensor& expected,
                          const std::optional<std::size_t>& path);
/// Throws TypeError for strings where the Input takes numbers and the reverse.
void require_kind_of(const layers::SymbolicTensor& input, const TensorSpec& given);

/// Throws ValueError in Keras's words: the output at that index does not depend on the inputs.
[[noreturn]] void throw_not_connected(const SymbolicTensors& outputs, std::size_t index);

/// Replaces each input from the middle of other models by an Input, and recreates the calls up to the outputs; the
/// layers stay the same.
void replace_inner_inputs(SymbolicTensors& inputs, SymbolicTensors& outputs);

}  // namespace rhyton::models
