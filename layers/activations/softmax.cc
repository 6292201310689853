#include <rhyton/layers/activations/softmax.h>

#include <rhyton/layers/activations.h>
#include <rhyton/layers/input_spec.h>
#include <rhyton/layers/layer_config.h>

namespace rhyton::layers {
namespace {

class SoftmaxImpl final : public LayerImpl {
 public:
  explicit SoftmaxImpl(const SoftmaxOptions& options) : LayerImpl(base_options(options)), options_(options) {
    options_.axis.require_some(name());
    mark_built();
  }
  std::string class_name() const override { return Softmax::keras_name; }
  void check_inputs(const std::vector<Shape>& inputs) const override {
    check_input(*this, inputs);
    options_.axis.of(inputs[0]);
  }
  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool) override {
    const std::vector<int> axes = options_.axis.of(inputs[0].shape());
    if (axes.size() == 1) return {activations::softmax(inputs[0], axes.front())};
    return {activations::softmax(inputs[0], axes)};
  }
  io::Json get_config() const override { return written(LayerImpl::get_config(), options_); }

 private:
  SoftmaxOptions options_;
};

}  // namespace

Softmax::Softmax(const SoftmaxOptions& options) : Layer(std::make_shared<SoftmaxImpl>(options)) {}

Softmax Softmax::from_config(const io::Json& config) { return Softmax(read_layer<Softmax>(config)); }

}  // namespace rhyton::layers
