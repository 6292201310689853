#include <rhyton/layers/convolutional/base_depthwise_convolution.h>

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
class DepthwiseConvolutionImpl final : public LayerImpl {
 public:
  explicit DepthwiseConvolutionImpl(const DepthwiseConvolutionArguments<Size>& arguments)
      : LayerImpl(base_options(arguments)), arguments_(arguments), window_(resolve_window(arguments_)) {
    require_positive_count("depth_multiplier", arguments_.depth_multiplier);
  }

  std::string class_name() const override { return "DepthwiseConv" + std::to_string(window_.rank()) + "D"; }

  void check_inputs(const std::vector<Shape>& inputs) const override {
    window_.check_channels(*this, inputs, kernel_.is_empty() ? -1 : kernel_.shape().at(-2));
    window_.check_lengths(inputs[0], filters(inputs[0]));
  }

  void build(const std::vector<Shape>& inputs) override {
    const Shape& images = inputs[0];
    kernel_ = add_weight({.shape = window_.kernel_shape(window_.channels(images), arguments_.depth_multiplier),
                          .initializer = arguments_.depthwise_initializer,
                          .regularizer = arguments_.depthwise_regularizer,
                          .constraint = arguments_.depthwise_constraint,
                          .name = "kernel"});
    if (!arguments_.use_bias) return;
    bias_ = add_weight(bias_weight(arguments_, {filters(images)}));
  }

  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool) override {
    const Tensor images = window_.layout.to_channels_last(to_compute_dtype(inputs[0]));
    Tensor y = window_.convolve(images, depthwise_as_grouped(to_compute_dtype(kernel_)), kernel_.shape().at(-2));
    if (!bias_.is_empty()) y = add(y, to_compute_dtype(bias_));
    return {arguments_.activation(window_.layout.from_channels_last(y))};
  }

  std::int64_t largest_stride() const override { return window_.largest_stride(); }

  io::Json get_config() const override { return written(LayerImpl::get_config(), arguments_); }

 private:
  std::int64_t filters(const Shape& images) const {
    const std::int64_t channels = window_.channels(images);
    return channels < 0 ? -1 : checked_multiply(channels, arguments_.depth_multiplier);
  }

  /// With the sizes, padding and format that hold.
  DepthwiseConvolutionArguments<Size> arguments_;
  ConvolutionWindow window_;
  Variable kernel_;
  Variable bias_;
};

}  // namespace

template <class Size>
std::shared_ptr<LayerImpl> make_depthwise_convolution(const DepthwiseConvolutionArguments<Size>& arguments) {
  return std::make_shared<DepthwiseConvolutionImpl<Size>>(arguments);
}

template std::shared_ptr<LayerImpl> make_depthwise_convolution(const DepthwiseConvolutionArguments<Size1>& arguments);
template std::shared_ptr<LayerImpl> make_depthwise_convolution(const DepthwiseConvolutionArguments<Size2>& arguments);

}  // namespace rhyton::layers
