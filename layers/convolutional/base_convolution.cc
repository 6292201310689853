#include <rhyton/layers/convolutional/base_convolution.h>

#include <type_traits>
#include <vector>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/layers/convolutional/convolution_window.h>
#include <rhyton/layers/layer_config.h>
#include <rhyton/layers/named_weights.h>

namespace rhyton::layers {
namespace {

template <class Size>
class ConvolutionImpl final : public LoraLayerImpl {
 public:
  explicit ConvolutionImpl(const ConvolutionArguments<Size>& arguments)
      : LoraLayerImpl(base_options(arguments), arguments.lora_rank, arguments.lora_alpha),
        arguments_(arguments),
        window_(resolve_window(arguments_, std::is_same_v<Size, Size1>)) {
    const std::int64_t filters = arguments_.filters;
    const std::int64_t groups = arguments_.groups;
    require_positive_count("filters", filters);
    if (groups <= 0) {
      throw ValueError("The number of groups must be a positive integer. Received: groups=" + std::to_string(groups) +
                       ".");
    }
    if (filters % groups != 0) {
      throw ValueError("The number of filters must be evenly divisible by the number of groups. Received: groups=" +
                       std::to_string(groups) + ", filters=" + std::to_string(filters) + ".");
    }
    window_.require_strides_or_dilation();
  }

  std::string class_name() const override { return "Conv" + std::to_string(window_.rank()) + "D"; }

  void check_inputs(const std::vector<Shape>& inputs) const override {
    const std::int64_t groups = arguments_.groups;
    window_.check_channels(*this, inputs,
                           kernel_variable().is_empty() ? -1 : kernel_variable().shape().at(-2) * groups);
    const Shape& images = inputs[0];
    const std::int64_t channels = window_.channels(images);
    if (channels >= 0 && channels % groups != 0) {
      throw ValueError(
          "The number of input channels must be evenly divisible by the number of groups. Received groups=" +
          std::to_string(groups) + ", but the input has " + std::to_string(channels) +
          " channels (full input shape is " + images.to_string() + ").");
    }
    window_.check_lengths(images, arguments_.filters);
  }

  void build(const std::vector<Shape>& inputs) override {
    const std::int64_t channels = window_.channels(inputs[0]);
    add_kernel(kernel_weight(
        arguments_, window_.kernel_shape(channels < 0 ? -1 : channels / arguments_.groups, arguments_.filters)));
    if (arguments_.use_bias) bias_ = add_weight(bias_weight(arguments_, {arguments_.filters}));
    enable_requested_lora();
  }

  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool) override {
    const Tensor images = window_.layout.to_channels_last(to_compute_dtype(inputs[0]));
    Tensor y = window_.convolve(images, kernel(), arguments_.groups);
    if (!bias_.is_empty()) y = add(y, to_compute_dtype(bias_));
    return {arguments_.activation(window_.layout.from_channels_last(y))};
  }

  std::int64_t largest_stride() const override { return window_.largest_stride(); }

  io::Json get_config() const override { return written(LayerImpl::get_config(), with_lora(arguments_)); }

 private:
  /// With the sizes, padding and format that hold.
  ConvolutionArguments<Size> arguments_;
  ConvolutionWindow window_;
  Variable bias_;
};

}  // namespace

template <class Size>
std::shared_ptr<LoraLayerImpl> make_convolution(const ConvolutionArguments<Size>& arguments) {
  return std::make_shared<ConvolutionImpl<Size>>(arguments);
}

template std::shared_ptr<LoraLayerImpl> make_convolution(const ConvolutionArguments<Size1>& arguments);
template std::shared_ptr<LoraLayerImpl> make_convolution(const ConvolutionArguments<Size2>& arguments);
template std::shared_ptr<LoraLayerImpl> make_convolution(const ConvolutionArguments<Size3>& arguments);

}  // namespace rhyton::layers
