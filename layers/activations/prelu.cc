#include <rhyton/layers/activations/prelu.h>

#include <algorithm>
#include <cstdint>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/layers/input_spec.h>
#include <rhyton/layers/layer_config.h>

namespace rhyton::layers {
namespace {

class PReLUImpl final : public LayerImpl {
 public:
  explicit PReLUImpl(const PReLUOptions& options) : LayerImpl(base_options(options)), options_(options) {
    // One axis is written as a list too.
    if (options_.shared_axes.has_value()) options_.shared_axes = Axes(options_.shared_axes->values());
  }

  std::string class_name() const override { return PReLU::keras_name; }
  bool supports_masking() const override { return true; }

  void check_inputs(const std::vector<Shape>& inputs) const override {
    if (alpha_.is_empty()) {
      check_input(*this, inputs);
      return;
    }
    InputSpec spec{.ndim = built_for_.rank()};
    const std::vector<int> shared = shared_axes();
    for (int axis = 1; axis < built_for_.rank() && !shared.empty(); ++axis) {
      const bool is_shared = std::find(shared.begin(), shared.end(), axis) != shared.end();
      if (!is_shared && built_for_[axis] >= 0) spec.axes.emplace_back(axis, built_for_[axis]);
    }
    check_input(*this, inputs, spec);
  }

  void build(const std::vector<Shape>& inputs) override {
    built_for_ = inputs[0];
    Shape shape;
    for (int axis = 1; axis < built_for_.rank(); ++axis) shape.push_back(built_for_[axis]);
    for (const int axis : shared_axes()) {
      // As in Keras: 0 and negative axes count from the end of the weight's shape, so that 0 is the last one.
      const std::int64_t place = std::int64_t{axis} - 1 + (axis < 1 ? shape.rank() : 0);
      if (place < 0 || place >= shape.rank()) {
        throw ValueError("Invalid value received for argument `shared_axes`: axis " + std::to_string(axis) +
                         " is out of range for input_shape=" + built_for_.to_string());
      }
      shape[static_cast<int>(place)] = 1;
    }
    alpha_ = add_weight({.shape = shape,
                         .initializer = options_.alpha_initializer,
                         .regularizer = options_.alpha_regularizer,
                         .constraint = options_.alpha_constraint,
                         .name = "alpha"});
  }

  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool) override {
    const Tensor& x = inputs[0];
    return {subtract(relu(x), multiply(to_compute_dtype(alpha_), relu(negative(x))))};
  }

  io::Json get_config() const override { return written(LayerImpl::get_config(), options_); }

 private:
  std::vector<int> shared_axes() const {
    return options_.shared_axes.has_value() ? options_.shared_axes->values() : std::vector<int>();
  }

  PReLUOptions options_;
  Variable alpha_;
  /// The shape of the input that it was built for.
  Shape built_for_;
};

}  // namespace

PReLU::PReLU(const PReLUOptions& options) : Layer(std::make_shared<PReLUImpl>(options)) {}

PReLU PReLU::from_config(const io::Json& config) { return PReLU(read_layer<PReLU>(config)); }

}  // namespace rhyton::layers
