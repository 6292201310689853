#include <rhyton/layers/activations/leaky_relu.h>

#include <rhyton/layers/activations.h>
#include <rhyton/layers/input_spec.h>
#include <rhyton/layers/layer_config.h>

namespace rhyton::layers {
namespace {

class LeakyReLUImpl final : public LayerImpl {
 public:
  explicit LeakyReLUImpl(const LeakyReLUOptions& options) : LayerImpl(base_options(options)), options_(options) {
    if (!(options.negative_slope >= 0)) refuse(io::Json(options.negative_slope).dump());
    mark_built();
  }

  [[noreturn]] static void refuse(const std::string& negative_slope) {
    throw ValueError(
        "The negative_slope value of a Leaky ReLU layer cannot be None or negative value. Expected a float. Received: "
        "negative_slope=" +
        negative_slope);
  }

  std::string class_name() const override { return LeakyReLU::keras_name; }
  bool supports_masking() const override { return true; }
  void check_inputs(const std::vector<Shape>& inputs) const override { check_input(*this, inputs); }
  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool) override {
    return {activations::leaky_relu(inputs[0], options_.negative_slope)};
  }
  io::Json get_config() const override { return written(LayerImpl::get_config(), options_); }

 private:
  LeakyReLUOptions options_;
};

}  // namespace

LeakyReLU::LeakyReLU(const LeakyReLUOptions& options) : Layer(std::make_shared<LeakyReLUImpl>(options)) {}

LeakyReLU LeakyReLU::from_config(const io::Json& config) {
  if (!config.is_object() || config.find("alpha") == nullptr) {
    const io::Json* const slope = config.is_object() ? config.find("negative_slope") : nullptr;
    if (slope != nullptr && slope->is_null()) LeakyReLUImpl::refuse("None");
    return LeakyReLU(read_layer<LeakyReLU>(config));
  }
  // The name of the argument in Keras 2, which Keras 3 takes too.
  io::Json renamed = config;
  renamed["negative_slope"] = config["alpha"];
  renamed.erase("alpha");
  return from_config(renamed);
}

}  // namespace rhyton::layers
