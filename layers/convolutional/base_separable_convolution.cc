#include <rhyton/layers/convolutional/base_separable_convolution.h>

#include <vector>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/spatial_convolution.h>
#include <rhyton/framework/tensor/checked_arithmetic.h>
#include <rhyton/layers/convolutional/convolution_window.h>
#include <rhyton/layers/layer_config.h>
#include <rhyton/layers/named_weights.h>

namespace rhyton::layers {
namespace {

template <class Size>
class SeparableConvolutionImpl final : public LayerImpl {
 public:
  explicit SeparableConvolutionImpl(const SeparableConvolutionArguments<Size>& arguments)
      : LayerImpl(base_options(arguments)), arguments_(arguments), window_(resolve_window(arguments_)) {
    require_positive_count("depth_multiplier", arguments_.depth_multiplier);
    require_positive_count("filters", arguments_.filters);
  }

  std::string class_name() const override { return "SeparableConv" + std::to_string(window_.rank()) + "D"; }

  void check_inputs(const std::vector<Shape>& inputs) const override {
    window_.check_channels(*this, inputs, depthwise_kernel_.is_empty() ? -1 : depthwise_kernel_.shape().at(-2));
    window_.check_lengths(inputs[0], arguments_.filters);
  }

  void build(const std::vector<Shape>& inputs) override {
    const Shape& images = inputs[0];
    const std::int64_t channels = window_.channels(images);
    depthwise_kernel_ = add_weight({.shape = window_.kernel_shape(channels, arguments_.depth_multiplier),
                                    .initializer = arguments_.depthwise_initializer,
                                    .regularizer = arguments_.depthwise_regularizer,
                                    .constraint = arguments_.depthwise_constraint,
                                    .name = "depthwise_kernel"});
    const std::int64_t outputs = channels < 0 ? -1 : checked_multiply(channels, arguments_.depth_multiplier);
    const Shape place(std::vector<std::int64_t>(window_.kernel_size.size(), 1));
    pointwise_kernel_ = add_weight({.shape = place.concatenate({outputs, arguments_.filters}),
                                    .initializer = arguments_.pointwise_initializer,
                                    .regularizer = arguments_.pointwise_regularizer,
                                    .constraint = arguments_.pointwise_constraint,
                                    .name = "pointwise_kernel"});
    if (!arguments_.use_bias) return;
    bias_ = add_weight(bias_weight(arguments_, {arguments_.filters}));
  }

  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool) override {
    const Tensor images = window_.layout.to_channels_last(to_compute_dtype(inputs[0]));
    const Tensor depthwise = window_.convolve(images, depthwise_as_grouped(to_compute_dtype(depthwise_kernel_)),
                                              depthwise_kernel_.shape().at(-2));
    const std::vector<std::int64_t> ones(window_.kernel_size.size(), 1);
    Tensor y = convolution(depthwise, to_compute_dtype(pointwise_kernel_), {.strides = ones, .dilation_rate = ones});
    if (!bias_.is_empty()) y = add(y, to_compute_dtype(bias_));
    return {arguments_.activation(window_.layout.from_channels_last(y))};
  }

  std::int64_t largest_stride() const override { return window_.largest_stride(); }

  io::Json get_config() const override { return written(LayerImpl::get_config(), arguments_); }

 private:
  /// With the sizes, padding and format that hold.
  SeparableConvolutionArguments<Size> arguments_;
  ConvolutionWindow window_;
  Variable depthwise_kernel_;
  Variable pointwise_kernel_;
  Variable bias_;
};

}  // namespace

template <class Size>
std::shared_ptr<LayerImpl> make_separable_convolution(const SeparableConvolutionArguments<Size>& arguments) {
  return std::make_shared<SeparableConvolutionImpl<Size>>(arguments);
}

template std::shared_ptr<LayerImpl> make_separable_convolution(const SeparableConvolutionArguments<Size1>& arguments);
template std::shared_ptr<LayerImpl> make_separable_convolution(const SeparableConvolutionArguments<Size2>& arguments);

}  // namespace rhyton::layers
