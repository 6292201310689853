#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <rhyton/framework/tensor/tensor.h>
#include <rhyton/layers/call_node.h>
#include <rhyton/layers/host_layer.h>
#include <rhyton/layers/symbolic_tensor.h>

namespace rhyton::models {

class FunctionalGraph;

/// The calls of host layers in a functional model and the models in it, in the order in which the model makes them. A
/// compiled step cannot make them: they are made before it, for each batch, and the step gets their results in place of
/// the inputs that are strings. Calls of other layers whose results host layers take are made there too, if the layers
/// have no variables: what such a layer computes is the same before the step and in it.
class HostCalls {
 public:
  explicit HostCalls(const FunctionalGraph& graph);

  /// Whether the model has no host layers and no strings.
  bool is_empty() const { return calls_.empty() && too_late_.empty() && string_output_.empty(); }
  /// Throws NotImplementedError for a model that no step can run: a host layer takes what layers with variables compute,
  /// or an output is strings.
  void require_runnable(const std::string& model) const;

  /// The inputs of the step for these inputs of the model: those that are numbers, then the results of the calls that
  /// are numbers. Throws what the layers throw, TypeError for strings in the place of numbers and the reverse.
  std::vector<Tensor> run(const std::vector<Tensor>& inputs) const;

  /// What a step on such inputs passes to the model.
  struct StepInputs {
    /// Tensors without elements in the place of strings.
    std::vector<Tensor> inputs;
    std::vector<layers::HostResultsScope::Call> results;
  };
  StepInputs step_inputs(const std::vector<Tensor>& arrays) const;

 private:
  /// A value before the step: an index into a list; none for one that the step computes.
  using Place = std::optional<std::size_t>;

  /// A value is brought into the form of the Input of a model, or values are passed to a layer.
  struct Call {
    /// Null for an Input.
    std::shared_ptr<const layers::CallNode> node = nullptr;
    /// Whether the step gets the results, which it cannot compute.
    bool is_host_call = false;
    layers::SymbolicTensor input = {};
    std::optional<std::size_t> path = std::nullopt;
    std::vector<std::size_t> arguments = {};
    std::vector<std::size_t> results = {};
    std::vector<TensorSpec> specs = {};
  };

  std::vector<Place> add(const FunctionalGraph& graph, const std::vector<Place>& inputs);
  /// None if an argument has no place.
  std::vector<Place> add_call(const layers::CallNode& node, const std::vector<Place>& arguments, bool is_host_call);
  void remove_unused();
  std::size_t new_place() { return places_++; }

  std::vector<layers::SymbolicTensor> inputs_;
  std::vector<Call> calls_;
  std::size_t places_ = 0;
  /// The name of a host layer that takes what only the step computes; of an output that is strings.
  std::string too_late_;
  std::string string_output_;
};

}  // namespace rhyton::models
