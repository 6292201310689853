#include <rhyton/layers/convolutional/conv2d.h>

#include <algorithm>

#include <rhyton/framework/ops/conv.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/layers/image_layout.h>
#include <rhyton/layers/input_spec.h>
#include <rhyton/layers/layer_config.h>

namespace rhyton::layers {
namespace {

bool exceeds_one(const Size2& size) { return size.height() > 1 || size.width() > 1; }

class Conv2DImpl final : public LayerImpl {
 public:
  explicit Conv2DImpl(const Conv2DArguments& options)
      : LayerImpl(base_options(options)),
        options_(options),
        padding_(window_padding(options.padding)),
        layout_(options.data_format) {
    options_.kernel_size = options.kernel_size.given();
    options_.strides = options.strides.given();
    options_.dilation_rate = options.dilation_rate.given();
    options_.padding = name_of(padding_);
    options_.data_format = layout_.to_string();
    const std::int64_t filters = options.filters;
    options.kernel_size.require_positive("kernel_size");
    options.strides.require_positive("strides");
    options.dilation_rate.require_positive("dilation_rate");
    if (filters <= 0) {
      throw ValueError("Invalid value for argument `filters`. Expected a strictly positive value. Received filters=" +
                       std::to_string(filters) + ".");
    }
    if (options.groups <= 0) {
      throw ValueError(
          "The number of groups must be a positive integer. Received: groups=" + std::to_string(options.groups) + ".");
    }
    if (filters % options.groups != 0) {
      throw ValueError("The number of filters must be evenly divisible by the number of groups. Received: groups=" +
                       std::to_string(options.groups) + ", filters=" + std::to_string(filters) + ".");
    }
    if (exceeds_one(options.strides) && exceeds_one(options.dilation_rate)) {
      throw ValueError("`strides > 1` not supported in conjunction with `dilation_rate > 1`. Received: strides=" +
                       options.strides.to_string() + " and dilation_rate=" + options.dilation_rate.to_string());
    }
  }

  std::string class_name() const override { return Conv2D::keras_name; }

  void check_inputs(const std::vector<Shape>& inputs) const override {
    InputSpec spec{.min_ndim = 4};
    if (!kernel_.is_empty()) spec.axes = {{layout_.channel_axis(), kernel_.shape()[2] * options_.groups}};
    check_input(*this, inputs, spec);
    const Shape& images = inputs[0];
    const std::int64_t channels = images.at(layout_.channel_axis());
    if (channels >= 0 && channels % options_.groups != 0) {
      throw ValueError(
          "The number of input channels must be evenly divisible by the number of groups. Received groups=" +
          std::to_string(options_.groups) + ", but the input has " + std::to_string(channels) +
          " channels (full input shape is " + images.to_string() + ").");
    }
    const Size2& dilation = options_.dilation_rate;
    const std::array<std::int64_t, 2> extents = {window_extent(options_.kernel_size.height(), dilation.height()),
                                                 window_extent(options_.kernel_size.width(), dilation.width())};
    if (!is_beyond_image(images, layout_, extents, padding_)) return;
    throw ValueError("Computed output size would be zero or negative. Received `inputs shape=" + images.to_string() +
                     "`, `kernel shape=" + kernel_shape(channels).to_string() + "`, `dilation_rate=[" +
                     std::to_string(dilation.height()) + " " + std::to_string(dilation.width()) + "]`, `strides=" +
                     options_.strides.to_string() + "`, `padding=" + std::string(name_of(padding_)) + "`.");
  }

  void build(const std::vector<Shape>& inputs) override {
    kernel_ = add_weight({.shape = kernel_shape(inputs[0].at(layout_.channel_axis())),
                          .initializer = options_.kernel_initializer,
                          .regularizer = options_.kernel_regularizer,
                          .name = "kernel"});
    if (!options_.use_bias) return;
    bias_ = add_weight({.shape = {options_.filters},
                        .initializer = options_.bias_initializer,
                        .regularizer = options_.bias_regularizer,
                        .name = "bias"});
  }

  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool) override {
    const Tensor images = layout_.to_channels_last(to_compute_dtype(inputs[0]));
    Tensor y = conv2d(images, to_compute_dtype(kernel_),
                      {.strides = options_.strides.values(),
                       .padding = padding_,
                       .dilation_rate = options_.dilation_rate.values(),
                       .groups = options_.groups});
    if (!bias_.is_empty()) y = add(y, to_compute_dtype(bias_));
    return {options_.activation(layout_.from_channels_last(y))};
  }

  std::int64_t largest_stride() const override { return std::max(options_.strides.height(), options_.strides.width()); }

  io::Json get_config() const override { return written(LayerImpl::get_config(), options_); }

 private:
  Shape kernel_shape(std::int64_t channels) const {
    const std::int64_t depth = channels < 0 ? -1 : channels / options_.groups;
    return {options_.kernel_size.height(), options_.kernel_size.width(), depth, options_.filters};
  }

  /// With the padding and format that hold.
  Conv2DArguments options_;
  Padding padding_;
  ImageLayout layout_;
  Variable kernel_;
  Variable bias_;
};

}  // namespace

Conv2D::Conv2D(std::int64_t filters, Size2 kernel_size, const Conv2DOptions& options)
    : Layer(std::make_shared<Conv2DImpl>(Conv2DArguments{options, filters, kernel_size})) {}

Conv2D Conv2D::from_config(const io::Json& config) {
  const auto arguments = read_layer<Conv2D>(config);
  return Conv2D(arguments.filters, arguments.kernel_size, arguments);
}

}  // namespace rhyton::layers
