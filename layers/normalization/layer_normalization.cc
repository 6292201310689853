#include <rhyton/layers/normalization/layer_normalization.h>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/normalization.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/layers/input_spec.h>
#include <rhyton/layers/layer_config.h>
#include <rhyton/layers/named_weights.h>

namespace rhyton::layers {
namespace {

/// Whether these are the last axes, in ascending order.
bool are_last(const std::vector<int>& axes, int rank) {
  const int first = rank - static_cast<int>(axes.size());
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (axes[i] != first + static_cast<int>(i)) return false;
  }
  return true;
}

class LayerNormalizationImpl final : public LayerImpl {
 public:
  explicit LayerNormalizationImpl(const LayerNormalizationOptions& options)
      : LayerImpl(base_options(options)), options_(options) {
    options_.axis.require_some(name());
    options_.axis = options_.axis.sorted_as_written();
  }

  std::string class_name() const override { return LayerNormalization::keras_name; }
  bool supports_masking() const override { return true; }
  bool autocasts() const override { return false; }

  void check_inputs(const std::vector<Shape>& inputs) const override {
    check_input(*this, inputs);
    options_.axis.of(inputs[0]);
  }

  void build(const std::vector<Shape>& inputs) override {
    Shape shape;
    // As in Keras: of the axes {1, -1} the last one comes first.
    for (const int axis : options_.axis.in_order_of(inputs[0])) shape.push_back(inputs[0][axis]);
    if (options_.scale) {
      gamma_ = add_weight(gamma_weight(options_, shape));
    }
    if (options_.center) {
      beta_ = add_weight(beta_weight(options_, shape));
    }
  }

  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool) override {
    // In half precision the sums overflow.
    const bool is_double = inputs[0].dtype() == DType::float64 || compute_dtype() == DType::float64;
    const DType dtype = is_double ? DType::float64 : DType::float32;
    const Tensor x = cast(inputs[0], dtype);
    const std::vector<int> axes = options_.axis.of(x.shape());
    if (are_last(axes, x.rank())) {
      const Shape shape = x.shape().slice(axes.front(), x.rank());
      // Negative axes may give the weights another order of axes.
      const auto in_shape = [&](const Tensor& values) {
        return values.shape() == shape ? values : reshape(values, shape);
      };
      const Tensor gamma = gamma_.is_empty() ? Tensor::full(shape, 1.0, dtype) : in_shape(cast(gamma_, dtype));
      const Tensor beta = beta_.is_empty() ? Tensor::zeros(shape, dtype) : in_shape(cast(beta_, dtype));
      return {to_compute_dtype(layer_normalization(x, gamma, beta, options_.epsilon))};
    }
    Shape along_axes;
    for (int axis = axes.front(); axis < x.rank(); ++axis) along_axes.push_back(1);
    for (const int axis : axes) along_axes[axis - axes.front()] = x.shape()[axis];
    const auto spread = [&](const Tensor& values) { return reshape(cast(values, dtype), along_axes); };

    const Moments sample = moments(x, axes, true);
    Tensor y = multiply(subtract(x, sample.mean), rsqrt(add(sample.variance, options_.epsilon)));
    if (!gamma_.is_empty()) y = multiply(y, spread(gamma_));
    if (!beta_.is_empty()) y = add(y, spread(beta_));
    return {to_compute_dtype(y)};
  }

  io::Json get_config() const override { return written(LayerImpl::get_config(), options_); }

 private:
  LayerNormalizationOptions options_;
  Variable gamma_;
  Variable beta_;
};

}  // namespace

LayerNormalization::LayerNormalization(const LayerNormalizationOptions& options)
    : Layer(std::make_shared<LayerNormalizationImpl>(options)) {}

LayerNormalization LayerNormalization::from_config(const io::Json& config) {
  return LayerNormalization(read_layer<LayerNormalization>(config));
}

}  // namespace rhyton::layers
