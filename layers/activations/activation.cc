#include <rhyton/layers/activations/activation.h>

#include <rhyton/layers/input_spec.h>
#include <rhyton/layers/layer_config.h>

namespace rhyton::layers {
namespace {

class ActivationImpl final : public LayerImpl {
 public:
  explicit ActivationImpl(const ActivationArguments& arguments)
      : LayerImpl(base_options(arguments)), arguments_(arguments) {
    mark_built();
  }
  std::string class_name() const override { return Activation::keras_name; }
  bool supports_masking() const override { return true; }
  void check_inputs(const std::vector<Shape>& inputs) const override { check_input(*this, inputs); }
  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool) override {
    return {arguments_.activation(inputs[0])};
  }
  io::Json get_config() const override { return written(LayerImpl::get_config(), arguments_); }

 private:
  ActivationArguments arguments_;
};

}  // namespace

Activation::Activation(const ActivationFunction& activation, const ActivationOptions& options)
    : Layer(std::make_shared<ActivationImpl>(ActivationArguments{options, activation})) {}

Activation Activation::from_config(const io::Json& config) {
  const auto arguments = read_layer<Activation>(config);
  return Activation(arguments.activation, arguments);
}

}  // namespace rhyton::layers
