#include <rhyton/layers/activations/softmax.h>

#include <rhyton/layers/activations.h>
#include <rhyton/layers/input_spec.h>
#include <rhyton/layers/layer_config.h>

namespace rhyton::layers {
namespace {

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
