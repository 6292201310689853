#pragma once

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <rhyton/framework/io/json/json.h>
#include <rhyton/models/functional_graph.h>
#include <rhyton/models/model_impl.h>

namespace rhyton::models {

/// The implementation of `Sequential`: a linear stack of layers.
class SequentialImpl : public ModelImpl {
 public:
  explicit SequentialImpl(const layers::LayerOptions& options);
  /// Creates the model that `get_config` (Rhyton's or Keras's) describes. Throws ValueError for an invalid
  /// configuration.
  static std::shared_ptr<SequentialImpl> from_config(const io::Json& config);

  /// Adds layers at the end, and builds the model if the shape of its input is known. Throws as `Sequential` does.
  void add(const std::vector<layers::Layer>& layers);
  layers::Layer pop();

  std::string class_name() const override { return "Sequential"; }
  void build(const std::vector<Shape>& input_shapes) override;
  bool is_built_for_batch() const override;
  std::vector<std::string> call_parameters() const override { return {"inputs", "mask"}; }
  /// The tensor of a dictionary that has the name of the input.
  layers::Argument arrange_inputs(layers::Argument inputs) const override;
  std::vector<Tensor> call_with(const layers::BoundArguments& arguments, bool training) override;
  void check_inputs(const std::vector<Shape>& input_shapes) const override;
  io::Json get_config() const override;
  io::Json get_build_config() const override;
  /// The layers, then those that a custom class tracks.
  std::vector<layers::Layer> sublayers() const override;
  bool takes_any_structure() const override { return false; }

  std::vector<layers::Layer> layers() const override;
  const FunctionalGraph* graph() const override { return graph_ ? &*graph_ : nullptr; }
  std::vector<layers::SymbolicTensor> inputs() const override;
  std::vector<layers::SymbolicTensor> outputs() const override;
  std::vector<std::string> input_names() const override;
  std::vector<std::string> output_names() const override;

 protected:
  std::vector<TensorSpec> infer_outputs(const layers::BoundArguments& arguments) override;

 private:
  /// `names` holds the names of the layers so far.
  void add_one(const layers::Layer& layer, std::unordered_map<std::string, const layers::LayerImpl*>& names);
  void rebuild();
  /// That of an Input that is made for the first layer.
  DType input_dtype() const;
  std::vector<layers::SymbolicTensor> call_placed(std::size_t layer,
                                                  const std::vector<layers::SymbolicTensor>& inputs) const;
  bool starts_with_input() const;

  /// Including the Input at the front, if there is one.
  std::vector<layers::Layer> layers_;
  /// For each layer the device of the scope that it was added in; null outside of any.
  std::vector<LogicalDevice*> devices_;
  /// Empty while the model is not built, and for layers that cannot be called in sequence on one tensor.
  std::optional<FunctionalGraph> graph_;
};

}  // namespace rhyton::models
