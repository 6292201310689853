#include <rhyton/layers/activations/softmax.h>

#include <rhyton/framework/ops/elementwise.h>
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
  bool supports_masking() const override { return true; }
  std::vector<std::string> call_parameters() const override { return {"inputs", "mask"}; }
  std::vector<Tensor> call_with(const BoundArguments& arguments, bool) override {
    Tensor x = arguments.tensor("inputs");
    Tensor mask = arguments.tensor("mask");
    if (!mask.is_empty()) {
      require_broadcast(mask.shape(), x.shape());
      if (mask.dtype() != DType::bool_) mask = greater(mask, 0.5);
      // As in Keras.
      x = where(mask, x, x.dtype() == DType::float16 ? -3e4 : -1e9);
    }
    const std::vector<int> axes = options_.axis.of(x.shape());
    const Tensor y = axes.size() == 1 ? activations::softmax(x, axes.front()) : activations::softmax(x, axes);
    // Where everything is masked, softmax would be uniform.
    return {mask.is_empty() ? y : where(mask, y, 0.0)};
  }
  io::Json get_config() const override { return written(LayerImpl::get_config(), options_); }

 private:
  static void require_broadcast(const Shape& mask, const Shape& inputs) {
    const std::string received = "Received: inputs.shape=" + inputs.to_string() + ", mask.shape=" + mask.to_string();
    if (mask.rank() > inputs.rank()) {
      throw ValueError("The `mask` must be broadcastable to `inputs` and must not have more dimensions. " + received);
    }
    for (int axis = 1; axis <= mask.rank(); ++axis) {
      if (mask.at(-axis) == 1 || mask.at(-axis) == inputs.at(-axis)) continue;
      throw ValueError(
          "The `mask` must be broadcastable to `inputs`. Each mask dimension must be 1 or match the corresponding "
          "input dimension. " +
          received);
    }
  }

  SoftmaxOptions options_;
};

}  // namespace

Softmax::Softmax(const SoftmaxOptions& options) : Layer(std::make_shared<SoftmaxImpl>(options)) {}

Softmax Softmax::from_config(const io::Json& config) { return Softmax(read_layer<Softmax>(config)); }

}  // namespace rhyton::layers
