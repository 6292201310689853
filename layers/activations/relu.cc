#include <rhyton/layers/activations/relu.h>

#include <limits>

#include <rhyton/layers/activations.h>
#include <rhyton/layers/input_spec.h>
#include <rhyton/layers/layer_config.h>

namespace rhyton::layers {
namespace {

class ReLUImpl final : public LayerImpl {
 public:
  explicit ReLUImpl(const ReLUOptions& options) : LayerImpl(base_options(options)), options_(options) {
    if (options.max_value.has_value()) require_not_negative("max_value", *options.max_value, "a negative");
    require_not_negative("negative_slope", options.negative_slope, "None or a negative");
    require_not_negative("threshold", options.threshold, "None or a negative");
    mark_built();
  }
  std::string class_name() const override { return ReLU::keras_name; }
  bool supports_masking() const override { return true; }
  void check_inputs(const std::vector<Shape>& inputs) const override { check_input(*this, inputs); }
  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool) override {
    const double max_value = options_.max_value.value_or(std::numeric_limits<double>::infinity());
    return {activations::relu(inputs[0], options_.negative_slope, max_value, options_.threshold)};
  }
  io::Json get_config() const override { return written(LayerImpl::get_config(), options_); }

 private:
  static void require_not_negative(const std::string& argument, double value, const std::string& refused) {
    if (value >= 0) return;
    throw ValueError(argument + " of a ReLU layer cannot be " + refused + " value. Received: " + argument + "=" +
                     io::Json(value).dump());
  }

  ReLUOptions options_;
};

}  // namespace

ReLU::ReLU(const ReLUOptions& options) : Layer(std::make_shared<ReLUImpl>(options)) {}

ReLU ReLU::from_config(const io::Json& config) { return ReLU(read_layer<ReLU>(config)); }

}  // namespace rhyton::layers
