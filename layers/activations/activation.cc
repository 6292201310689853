#include <rhyton/layers/activations/activation.h>

#include <rhyton/layers/input_spec.h>
#include <rhyton/layers/layer_config.h>

namespace rhyton::layers {
namespace {

class ActivationImpl final : public LayerImpl {
 public:
  ActivationImpl(const ActivationFunction& activation, const ActivationOptions& options)
      : LayerImpl(base_options(options)), activation_(activation) {
    mark_built();
  }
  std::string class_name() const override { return "Activation"; }
  void check_inputs(const std::vector<Shape>& inputs) const override { check_input(*this, inputs); }
  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool) override { return {activation_(inputs[0])}; }
  io::Json get_config() const override {
    return extended(LayerImpl::get_config(), io::Json::object({{"activation", activation_.to_config()}}));
  }

 private:
  ActivationFunction activation_;
};

}  // namespace

Activation::Activation(const ActivationFunction& activation, const ActivationOptions& options)
    : Layer(std::make_shared<ActivationImpl>(activation, options)) {}

Activation Activation::from_config(const io::Json& config) {
  ConfigReader reader("Activation", config);
  ActivationOptions options;
  reader.read_base(options);
  ActivationFunction activation;
  reader.read("activation", activation);
  reader.finish();
  return Activation(activation, options);
}

}  // namespace rhyton::layers
