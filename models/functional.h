#pragma once

#include <memory>
#include <string>
#include <vector>

#include <rhyton/framework/io/json/json.h>
#include <rhyton/models/functional_graph.h>
#include <rhyton/models/model_impl.h>
#include <rhyton/models/symbolic_tensors.h>

namespace rhyton::models {

/// A model given by its inputs and outputs: the implementation of `Model({.inputs = …, .outputs = …})`.
class FunctionalImpl : public ModelImpl {
 public:
  /// Throws as the constructor of `Model` does.
  FunctionalImpl(SymbolicTensors inputs, SymbolicTensors outputs, const layers::LayerOptions& options);
  /// Creates the model that `get_config` (Rhyton's or Keras's) describes. Throws ValueError for an invalid
  /// configuration.
  static std::shared_ptr<FunctionalImpl> from_config(const io::Json& config);

  std::string class_name() const override { return "Functional"; }
  void build(const std::vector<Shape>& input_shapes) override;
  std::vector<std::string> call_parameters() const override { return {"inputs", "mask"}; }
  /// A dictionary of inputs in the order of `input_names`.
  layers::Argument arrange_inputs(layers::Argument inputs) const override;
  std::vector<Tensor> call_with(const layers::BoundArguments& arguments, bool training) override;
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
  bool has_dictionary_of_outputs() const override { return ends_.outputs.form() == SymbolicTensors::Form::map; }

  /// The inputs and outputs in the form in which they were given.
  const SymbolicTensors& input_structure() const { return ends_.inputs; }
  const SymbolicTensors& output_structure() const { return ends_.outputs; }
  /// A model of the same name and policy from these inputs to these outputs, which take the places of its own.
  std::shared_ptr<FunctionalImpl> with_ends(const std::vector<layers::SymbolicTensor>& inputs,
                                            const std::vector<layers::SymbolicTensor>& outputs) const;

  /// The inputs of a call in its saved form: a list is put into the structure with which Keras calls the model.
  io::Json structured_inputs(io::Json inputs) const;

 protected:
  std::vector<TensorSpec> infer_outputs(const layers::BoundArguments& arguments) override;

 private:
  struct Ends {
    SymbolicTensors inputs;
    SymbolicTensors outputs;
  };
  FunctionalImpl(Ends ends, const layers::LayerOptions& options);
  /// Whether inputs of these specs have the shapes of its Inputs.
  bool is_made_for(const std::vector<TensorSpec>& inputs) const;
  std::vector<TensorSpec> output_specs() const;

  Ends ends_;
  FunctionalGraph graph_;
  /// Whether its configuration has a single input or output outside a list, which is then written in the same form.
  bool has_bare_ends_ = false;
};

/// Whether lists have the lengths and dictionaries the keys of `structure`.
bool has_structure(const layers::Argument& inputs, const layers::Argument& structure);

}  // namespace rhyton::models
