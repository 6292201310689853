#pragma once

#include <string>
#include <vector>

#include <rhyton/framework/io/json/json.h>
#include <rhyton/layers/layer.h>
#include <rhyton/models/training/trainer.h>

namespace rhyton::models {

class FunctionalGraph;

/// The implementation that all models share: they are layers, and own the Trainer that trains them.
class ModelImpl : public layers::LayerImpl, public training::Trainee {
 public:
  /// `options.name` must be given.
  explicit ModelImpl(const layers::LayerOptions& options);

  /// See `Model::layers`.
  virtual std::vector<layers::Layer> layers() const = 0;
  /// The graph of its calls; null while it is not built.
  virtual const FunctionalGraph* graph() const = 0;
  /// Throw ValueError in Keras's words while the model is not built.
  std::vector<layers::SymbolicTensor> inputs() const override = 0;
  std::vector<layers::SymbolicTensor> outputs() const override = 0;

  training::Trainer& trainer() { return trainer_; }
  const training::Trainer& trainer() const { return trainer_; }

  /// Inputs are not cast: the inner layers cast them.
  bool autocasts() const override { return false; }

  /// For a Sequential without its Input, which is not among its layers.
  std::vector<layers::LayerAttribute> attributes() const override {
    return {{.name = "layers", .layers = layers(), .is_list = true}};
  }

  layers::Layer layer() override { return layers::Layer(shared_from_this()); }
  void prepare(const std::vector<Shape>& input_shapes) override;

 private:
  training::Trainer trainer_{*this};
};

/// The shapes of the tensors, in order.
std::vector<Shape> shapes_of(const std::vector<layers::SymbolicTensor>& tensors);
/// Their shapes and dtypes.
std::vector<TensorSpec> specs_of(const std::vector<layers::SymbolicTensor>& tensors);

/// Registers the model classes for reading configurations. May be called any number of times.
void register_model_classes();

}  // namespace rhyton::models
