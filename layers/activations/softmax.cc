#include <rhyton/layers/activations/softmax.h>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/layers/activations.h>
#include <rhyton/layers/input_spec.h>
#include <rhyton/layers/layer_config.h>

namespace rhyton::layers {
namespace {

class SoftmaxImpl final : public LayerImpl {
 public:
  explicit SoftmaxImpl(const SoftmaxOptions& options) : LayerImpl(base_options(options)), options_(options) {
    if (axes()) axes()->require_some(name());
    mark_built();
  }
  std::string class_name() const override { return Softmax::keras_name; }
  void check_inputs(const std::vector<Shape>& inputs) const override {
    check_input(*this, inputs);
    if (axes()) axes()->of(inputs[0]);
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
    const Tensor y = along_axes(x);
    // Where everything is masked, softmax would be uniform.
    return {mask.is_empty() ? y : where(mask, y, 0.0)};
  }
  io::Json get_config() const override { return written(LayerImpl::get_config(), options_); }

 private:
  /// None means all.
  const std::optional<Axes>& axes() const { return options_.axis.value(); }

  Tensor along_axes(const Tensor& x) const {
    if (!axes()) return reshape(activations::softmax(reshape(x, {-1})), x.shape());
    const std::vector<int> some = axes()->of(x.shape());
    return some.size() == 1 ? activations::softmax(x, some.front()) : activations::softmax(x, some);
  }

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
