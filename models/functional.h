#pragma once

#include <memory>
#include <string>
#include <vector>

#include <rhyton/framework/io/json.h>
#include <rhyton/models/functional_graph.h>
#include <rhyton/models/model_impl.h>
#include <rhyton/models/symbolic_tensors.h>

namespace rhyton::models {

/// A model given by its inputs and outputs: what stands behind `Model({.inputs = …, .outputs = …})`.
class FunctionalImpl : public ModelImpl {
 public:
  /// Throws as `Model`'s constructor says.
  FunctionalImpl(SymbolicTensors inputs, SymbolicTensors outputs, const layers::LayerOptions& options);
  /// The model that `get_config` (Rhyton's or Keras's) describes. Throws ValueError for a configuration that does not
  /// describe one.
  static std::shared_ptr<FunctionalImpl> from_config(const io::Json& config);

  std::string class_name() const override { return "Functional"; }
  void build(const std::vector<Shape>& input_shapes) override;
  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool training) override;
  void check_inputs(const std::vector<Shape>& input_shapes) const override;
  std::vector<TensorSpec> compute_output_specs(const std::vector<TensorSpec>& inputs) override;
  io::Json get_config() const override;
  io::Json get_build_config() const override;
  std::vector<layers::Layer> sublayers() const override { return graph_.layers(); }

  std::vector<layers::Layer> layers() const override { return graph_.layers(); }
  const FunctionalGraph* graph() const override { return &graph_; }
  std::vector<layers::SymbolicTensor> inputs() const override { return graph_.inputs(); }
  std::vector<layers::SymbolicTensor> outputs() const override { return graph_.outputs(); }
  /// The keys of a dictionary, else the names of the layers.
  std::vector<std::string> input_names() const override;
  std::vector<std::string> output_names() const override;

  /// What stands for its inputs, one by one, in the structure in which Keras calls it; null where that is one tensor or
  /// a list.
  io::Json structure_of_inputs(const std::vector<io::Json>& inputs) const;

 private:
  struct Ends {
    SymbolicTensors inputs;
    SymbolicTensors outputs;
  };
  FunctionalImpl(Ends ends, const layers::LayerOptions& options);
  io::Json inputs_json() const;

  Ends ends_;
  FunctionalGraph graph_;
  /// The structure of inputs that are nested deeper than one level, with their numbers in it; else null.
  io::Json nested_inputs_;
  /// Whether its configuration came with a single input or output that is not in a list: so it is written again.
  bool has_bare_ends_ = false;
};

}  // namespace rhyton::models
