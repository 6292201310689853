#include <rhyton/layers/convolutional/base_transposed_convolution.h>

#include <optional>
#include <vector>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/transposed_convolution.h>
#include <rhyton/layers/convolutional/convolution_window.h>
#include <rhyton/layers/layer_config.h>
#include <rhyton/layers/named_weights.h>

namespace rhyton::layers {
namespace {

template <class Size>
class TransposedConvolutionImpl final : public LayerImpl {
 public:
  explicit TransposedConvolutionImpl(const TransposedConvolutionArguments<Size>& arguments)
      : LayerImpl(base_options(arguments)), arguments_(arguments), window_(resolve_window(arguments_)) {
    require_positive_count("filters", arguments_.filters);
    require_less_than_strides();
    window_.require_strides_or_dilation();
  }

  std::string class_name() const override { return "Conv" + std::to_string(window_.rank()) + "DTranspose"; }

  void check_inputs(const std::vector<Shape>& inputs) const override {
    window_.check_channels(*this, inputs, kernel_.is_empty() ? -1 : kernel_.shape().at(-1));
    const Shape& images = inputs[0];
    if (images.rank() != window_.rank() + 2) {
      throw ValueError("Kernel shape must have the same length as input, but received kernel of shape " +
                       window_.kernel_shape(arguments_.filters, window_.channels(images)).to_string() +
                       " and input of shape " + images.to_string() + ".");
    }
    for (int i = 0; i < window_.rank(); ++i) {
      const std::int64_t length = images[window_.layout.first_spatial_axis() + i];
      if (length >= 0 && output_length(length, i) < 0) {
        throw ValueError("Computed output size would be negative. Received inputs of shape " + images.to_string() +
                         ".");
      }
    }
  }

  void build(const std::vector<Shape>& inputs) override {
    kernel_ =
        add_weight(kernel_weight(arguments_, window_.kernel_shape(arguments_.filters, window_.channels(inputs[0]))));
    if (!arguments_.use_bias) return;
    bias_ = add_weight(bias_weight(arguments_, {arguments_.filters}));
  }

  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool) override {
    const Tensor images = window_.layout.to_channels_last(to_compute_dtype(inputs[0]));
    std::vector<std::int64_t> lengths;
    for (int i = 0; i < window_.rank(); ++i) lengths.push_back(output_length(images.shape()[i + 1], i));
    Tensor y = transposed_convolution(images, to_compute_dtype(kernel_),
                                      {.strides = window_.strides,
                                       .padding = window_.padding,
                                       .dilation_rate = window_.dilation_rate,
                                       .lengths = lengths});
    if (!bias_.is_empty()) y = add(y, to_compute_dtype(bias_));
    return {arguments_.activation(window_.layout.from_channels_last(y))};
  }

  io::Json get_config() const override { return written(LayerImpl::get_config(), arguments_); }

 private:
  void require_less_than_strides() {
    if (!arguments_.output_padding.is_given()) return;
    arguments_.output_padding.require_not_negative("output_padding");
    arguments_.output_padding = arguments_.output_padding.given();
    const std::vector<std::int64_t> padding = lengths_of(arguments_.output_padding);
    for (std::size_t i = 0; i < padding.size(); ++i) {
      if (padding[i] < window_.strides[i]) continue;
      throw ValueError("`output_padding` must be strictly less than `strides` for all dimensions. At dimension " +
                       std::to_string(i) + ", `output_padding` is " + std::to_string(padding[i]) +
                       " but `strides` is " + std::to_string(window_.strides[i]) + ". Received: output_padding=" +
                       arguments_.output_padding.to_string() + ", strides=" + arguments_.strides.to_string());
    }
  }

  /// The length of an axis of the output, by Keras's formulas.
  std::int64_t output_length(std::int64_t input, int axis) const {
    const auto i = static_cast<std::size_t>(axis);
    const bool is_given = arguments_.output_padding.is_given();
    return transposed_length(input, window_.kernel_size[i], window_.strides[i], window_.dilation_rate[i],
                             window_.padding,
                             is_given ? std::optional(arguments_.output_padding.values()[i]) : std::nullopt);
  }

  /// With the sizes, padding and format that hold.
  TransposedConvolutionArguments<Size> arguments_;
  ConvolutionWindow window_;
  Variable kernel_;
  Variable bias_;
};

}  // namespace

template <class Size>
std::shared_ptr<LayerImpl> make_transposed_convolution(const TransposedConvolutionArguments<Size>& arguments) {
  return std::make_shared<TransposedConvolutionImpl<Size>>(arguments);
}

template std::shared_ptr<LayerImpl> make_transposed_convolution(const TransposedConvolutionArguments<Size1>& arguments);
template std::shared_ptr<LayerImpl> make_transposed_convolution(const TransposedConvolutionArguments<Size2>& arguments);
template std::shared_ptr<LayerImpl> make_transposed_convolution(const TransposedConvolutionArguments<Size3>& arguments);

}  // namespace rhyton::layers
