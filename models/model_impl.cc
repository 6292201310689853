#include <rhyton/models/model_impl.h>

#include <rhyton/layers/serialization.h>
#include <rhyton/models/functional.h>
#include <rhyton/models/sequential_impl.h>

namespace rhyton::models {

ModelImpl::ModelImpl(const layers::LayerOptions& options) : LayerImpl(options) { register_model_classes(); }

void ModelImpl::prepare(const std::vector<Shape>& input_shapes) {
  std::vector<Shape> shapes;
  for (const Shape& shape : input_shapes) shapes.push_back(shape.rank() > 0 ? shape.with(0, -1) : shape);
  ensure_built(shapes);
  check_inputs(shapes);
}

std::vector<TensorSpec> specs_of(const std::vector<layers::SymbolicTensor>& tensors) {
  std::vector<TensorSpec> specs;
  for (const layers::SymbolicTensor& tensor : tensors) specs.push_back(tensor.spec());
  return specs;
}

std::vector<Shape> shapes_of(const std::vector<layers::SymbolicTensor>& tensors) {
  std::vector<Shape> shapes;
  for (const layers::SymbolicTensor& tensor : tensors) shapes.push_back(tensor.shape());
  return shapes;
}

void register_model_classes() {
  static const bool registered = [] {
    const auto functional = [](const io::Json& config) { return layers::Layer(FunctionalImpl::from_config(config)); };
    const auto sequential = [](const io::Json& config) { return layers::Layer(SequentialImpl::from_config(config)); };
    layers::register_builtin("Sequential", sequential, "keras");
    layers::register_builtin("Functional", functional, "keras.src.models.functional");
    layers::register_builtin("Model", functional, "keras.src.models.functional");
    return true;
  }();
  static_cast<void>(registered);
}

}  // namespace rhyton::models
