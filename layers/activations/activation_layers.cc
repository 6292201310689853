#include <rhyton/layers/activations/activation_layers.h>

#include <limits>

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

class ReLUImpl final : public LayerImpl {
 public:
  explicit ReLUImpl(const ReLUOptions& options) : LayerImpl(base_options(options)), options_(options) {
    if (options.max_value.has_value()) require_not_negative("max_value", *options.max_value);
    require_not_negative("negative_slope", options.negative_slope);
    require_not_negative("threshold", options.threshold);
    mark_built();
  }
  std::string class_name() const override { return "ReLU"; }
  void check_inputs(const std::vector<Shape>& inputs) const override { check_input(*this, inputs); }
  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool) override {
    const double max_value = options_.max_value.value_or(std::numeric_limits<double>::infinity());
    return {activations::relu(inputs[0], options_.negative_slope, max_value, options_.threshold)};
  }
  io::Json get_config() const override {
    return extended(LayerImpl::get_config(),
                    io::Json::object({{"max_value", options_.max_value ? io::Json(*options_.max_value) : io::Json()},
                                      {"negative_slope", options_.negative_slope},
                                      {"threshold", options_.threshold}}));
  }

 private:
  static void require_not_negative(const std::string& argument, double value) {
    if (value >= 0) return;
    throw ValueError(argument + " of a ReLU layer cannot be a negative value. Received: " + argument + "=" +
                     io::Json(value).dump());
  }

  ReLUOptions options_;
};

class SoftmaxImpl final : public LayerImpl {
 public:
  explicit SoftmaxImpl(const SoftmaxOptions& options) : LayerImpl(base_options(options)), axis_(options.axis) {
    axis_.require_some(name());
    mark_built();
  }
  std::string class_name() const override { return "Softmax"; }
  void check_inputs(const std::vector<Shape>& inputs) const override {
    check_input(*this, inputs);
    axis_.of(inputs[0]);
  }
  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool) override {
    const std::vector<int> axes = axis_.of(inputs[0].shape());
    if (axes.size() == 1) return {activations::softmax(inputs[0], axes.front())};
    return {activations::softmax(inputs[0], axes)};
  }
  io::Json get_config() const override {
    return extended(LayerImpl::get_config(), io::Json::object({{"axis", axis_.to_config()}}));
  }

 private:
  Axes axis_;
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

ReLU::ReLU(const ReLUOptions& options) : Layer(std::make_shared<ReLUImpl>(options)) {}

ReLU ReLU::from_config(const io::Json& config) {
  ConfigReader reader("ReLU", config);
  ReLUOptions options;
  reader.read_base(options);
  reader.read("max_value", options.max_value);
  reader.read("negative_slope", options.negative_slope);
  reader.read("threshold", options.threshold);
  reader.finish();
  return ReLU(options);
}

Softmax::Softmax(const SoftmaxOptions& options) : Layer(std::make_shared<SoftmaxImpl>(options)) {}

Softmax Softmax::from_config(const io::Json& config) {
  ConfigReader reader("Softmax", config);
  SoftmaxOptions options;
  reader.read_base(options);
  reader.read("axis", options.axis);
  reader.finish();
  return Softmax(options);
}

}  // namespace rhyton::layers
