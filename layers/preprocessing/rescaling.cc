#include <rhyton/layers/preprocessing/rescaling.h>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/listeners.h>
#include <rhyton/layers/image_layout.h>
#include <rhyton/layers/input_spec.h>
#include <rhyton/layers/layer_config.h>

namespace rhyton::layers {
namespace {

class RescalingImpl final : public LayerImpl {
 public:
  explicit RescalingImpl(const RescalingArguments& arguments)
      : LayerImpl(base_options(arguments)),
        arguments_(arguments),
        scale_values_(to_tensor("scale", arguments.scale)),
        offset_values_(to_tensor("offset", arguments.offset)) {
    mark_built();
  }

  std::string class_name() const override { return Rescaling::keras_name; }
  bool supports_masking() const override { return true; }
  void check_inputs(const std::vector<Shape>& inputs) const override { check_input(*this, inputs); }

  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool) override {
    const Tensor x = to_compute_dtype(inputs[0]);
    const PerChannel& scale = arguments_.scale;
    const PerChannel& offset = arguments_.offset;
    const Tensor scaled = scale.is_list() ? multiply(x, scale_values_) : multiply(x, number(scale.values().front()));
    if (offset.is_list()) return {add(scaled, offset_values_)};
    return {offset.values().front() == 0 ? scaled : add(scaled, number(offset.values().front()))};
  }

  io::Json get_config() const override { return written(LayerImpl::get_config(), arguments_); }

 private:
  /// A number in the compute dtype, which may be an integer dtype.
  Scalar number(double value) const {
    if (is_floating(compute_dtype())) return value;
    if (!Scalar(value).fits(DType::int64)) {
      throw ValueError("The number " + std::to_string(value) + " of layer '" + name() + "' is out of range for dtype " +
                       std::string(name_of(compute_dtype())) + ".");
    }
    return static_cast<std::int64_t>(value);
  }

  Tensor to_tensor(const std::string& argument, const PerChannel& values) const {
    if (!values.is_list()) return {};
    if (values.values().empty()) {
      throw ValueError("The `" + argument + "` argument of layer '" + name() +
                       "' must be a number or a list of at least one. Received: " + argument + "=[]");
    }
    const InitScope init;
    const auto channels = static_cast<std::int64_t>(values.values().size());
    const Shape shape = ImageLayout().channels_first() ? Shape{channels, 1, 1} : Shape{channels};
    return to_compute_dtype(Tensor::from_data(shape, values.values()));
  }

  RescalingArguments arguments_;
  /// Empty if it is one number.
  Tensor scale_values_;
  Tensor offset_values_;
};

}  // namespace

PerChannel PerChannel::from_config(const io::Json& config) {
  if (config.is_number()) return config.as_double();
  // An array of NumPy is {"class_name": "__numpy__", "config": {"value": [...], "dtype": "float32"}}.
  if (config.is_object()) return from_config(config["config"]["value"]);
  std::vector<double> values;
  for (const io::Json& value : config) values.push_back(value.as_double());
  return values;
}

Rescaling::Rescaling(const PerChannel& scale, const RescalingOptions& options)
    : Layer(std::make_shared<RescalingImpl>(RescalingArguments{options, scale})) {}

Rescaling Rescaling::from_config(const io::Json& config) {
  const auto arguments = read_layer<Rescaling>(config);
  return Rescaling(arguments.scale, arguments);
}

}  // namespace rhyton::layers
