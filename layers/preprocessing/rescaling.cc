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
  RescalingImpl(const PerChannel& scale, const RescalingOptions& options)
      : LayerImpl(base_options(options)),
        scale_(scale),
        offset_(options.offset),
        scale_values_(to_tensor("scale", scale)),
        offset_values_(to_tensor("offset", options.offset)) {
    mark_built();
  }

  std::string class_name() const override { return "Rescaling"; }
  void check_inputs(const std::vector<Shape>& inputs) const override { check_input(*this, inputs); }

  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool) override {
    const Tensor x = to_compute_dtype(inputs[0]);
    const Tensor scaled = scale_.is_list() ? multiply(x, scale_values_) : multiply(x, number(scale_.values().front()));
    if (offset_.is_list()) return {add(scaled, offset_values_)};
    return {offset_.values().front() == 0 ? scaled : add(scaled, number(offset_.values().front()))};
  }

  io::Json get_config() const override {
    return extended(LayerImpl::get_config(),
                    io::Json::object({{"scale", scale_.to_config()}, {"offset", offset_.to_config()}}));
  }

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

  PerChannel scale_;
  PerChannel offset_;
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
    : Layer(std::make_shared<RescalingImpl>(scale, options)) {}

Rescaling Rescaling::from_config(const io::Json& config) {
  ConfigReader reader("Rescaling", config);
  RescalingOptions options;
  reader.read_base(options);
  PerChannel scale = 1.0;
  const auto read = [&](const char* key, PerChannel& value) {
    const io::Json* const json = reader.find(key);
    if (json != nullptr) value = reader.value_of(key, *json, "a number or a list of numbers", &PerChannel::from_config);
  };
  read("scale", scale);
  read("offset", options.offset);
  reader.finish();
  return Rescaling(scale, options);
}

}  // namespace rhyton::layers
