#include <rhyton/layers/preprocessing/stft_spectrogram.h>

#include <algorithm>
#include <array>
#include <bit>
#include <string_view>

#include <rhyton/framework/context.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/convolutions.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/framework/ops/special_functions.h>
#include <rhyton/framework/ops/window_shapes.h>
#include <rhyton/framework/warning.h>
#include <rhyton/layers/image_layout.h>
#include <rhyton/layers/input_spec.h>
#include <rhyton/layers/layer_config.h>
#include <rhyton/layers/stft_initializer.h>

namespace rhyton::layers {
namespace {

constexpr std::array<std::string_view, 7> modes = {"log", "magnitude", "psd", "real", "imag", "angle", "stft"};

/// The longest frame whose default transform has a length.
constexpr std::int64_t longest_frame = std::int64_t{1} << 62;

void check_numbers(const STFTSpectrogramOptions& options) {
  const std::string received_length = ", frame_length=" + std::to_string(options.frame_length);
  if (const auto step = options.frame_step; step && (*step > options.frame_length || *step < 1)) {
    throw ValueError("`frame_step` should be a positive integer not greater than `frame_length`. Received frame_step=" +
                     std::to_string(*step) + received_length);
  }
  if (options.frame_length < 1 || options.frame_length > longest_frame) {
    throw ValueError("`frame_length` should be a positive integer of at most 2^62. Received frame_length=" +
                     std::to_string(options.frame_length));
  }
  const auto fft_length = options.fft_length;
  if (!fft_length) return;
  if (*fft_length < options.frame_length) {
    throw ValueError("`fft_length` should be not less than `frame_length`. Received fft_length=" +
                     std::to_string(*fft_length) + received_length);
  }
  if (!std::has_single_bit(static_cast<std::uint64_t>(*fft_length))) {
    warn("`fft_length` is recommended to be a power of two. Received fft_length=" + std::to_string(*fft_length));
  }
}

void check_names(const STFTSpectrogramOptions& options) {
  if (std::ranges::find(modes, options.mode) == modes.end()) {
    std::string all;
    for (const std::string_view mode : modes) all += (all.empty() ? "" : ", ") + std::string(mode);
    throw ValueError("Output mode is invalid, it must be one of " + all + ". Received: mode=" + options.mode);
  }
  if (options.scaling && *options.scaling != "density" && *options.scaling != "spectrum") {
    throw ValueError("Scaling is invalid, it must be `None`, 'density' or 'spectrum'. Received scaling=" +
                     *options.scaling);
  }
  if (options.padding != "valid" && options.padding != "same") {
    throw ValueError("Padding is invalid, it should be 'valid', 'same'. Received: padding=" + options.padding);
  }
  if (const auto& window = options.window.value(); window && window->is_name()) require_window_name(window->name());
}

class STFTSpectrogramImpl final : public LayerImpl {
 public:
  explicit STFTSpectrogramImpl(const STFTSpectrogramOptions& options)
      : LayerImpl(base_options(options)), options_(options), layout_(options.data_format) {
    check_numbers(options);
    check_names(options);
    options_.data_format = layout_.to_string();
    frame_step_ = options.frame_step.value_or(options.frame_length / 2);
    const auto length = static_cast<std::uint64_t>(options.frame_length);
    frequencies_ = options.fft_length.value_or(static_cast<std::int64_t>(std::bit_ceil(length))) / 2 + 1;
  }

  std::string class_name() const override { return STFTSpectrogram::keras_name; }
  void check_inputs(const std::vector<Shape>& inputs) const override { check_input(*this, inputs, {.ndim = 3}); }

  void build(const std::vector<Shape>& /*inputs*/) override {
    if (options_.mode != "imag") real_kernel_ = add_kernel("real");
    if (options_.mode != "real") imaginary_kernel_ = add_kernel("imag");
  }

  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool) override {
    const Tensor& x = inputs[0];
    if (x.dtype() != DType::float16 && x.dtype() != DType::float32 && x.dtype() != DType::float64) {
      throw TypeError("Invalid input type. Expected `float16`, `float32` or `float64`. Received: input type=" +
                      std::string(name_of(x.dtype())));
    }
    return {arranged(spectrum(x))};
  }

  /// By formulas, since the lengths that stand in for unknown ones can be shorter than a frame.
  std::vector<TensorSpec> compute_output_specs(const std::vector<TensorSpec>& inputs) override {
    return {{output_shape(inputs[0].shape), compute_dtype()}};
  }

  std::int64_t largest_stride() const override { return frame_step_; }

  io::Json get_config() const override { return written(LayerImpl::get_config(), options_); }

 private:
  Variable add_kernel(const std::string& side) {
    return add_weight(
        {.shape = {options_.frame_length, 1, frequencies_},
         .initializer = initializers::STFT(
             {.side = side, .window = options_.window, .scaling = options_.scaling, .periodic = options_.periodic}),
         .name = side + "_kernel"});
  }

  /// [batch, time, channels], or with the channels first, -> [batch, channels, frames, frequencies].
  Tensor convolved(const Tensor& x, const Variable& kernel) const {
    const Tensor signals = layout_.channels_first() ? x : transpose(x, {0, 2, 1});
    const Shape& shape = signals.shape();
    const Tensor y = conv(reshape(signals, {shape[0] * shape[1], shape[2], 1}), cast(kernel, x.dtype()),
                          {.strides = frame_step_, .padding = options_.padding, .data_format = "channels_last"});
    return reshape(y, {shape[0], shape[1], y.shape()[1], y.shape()[2]});
  }

  /// What the mode says, in the same order of axes.
  Tensor spectrum(const Tensor& x) const {
    const std::string& mode = options_.mode;
    if (mode == "real") return convolved(x, real_kernel_);
    if (mode == "imag") return convolved(x, imaginary_kernel_);
    const Tensor real = convolved(x, real_kernel_);
    const Tensor imaginary = convolved(x, imaginary_kernel_);
    if (mode == "angle") return arctan2(imaginary, real);
    if (mode == "stft") return concatenate({real, imaginary}, -1);
    const Tensor power = add(square(real), square(imaginary));
    if (mode == "psd") {
      const std::int64_t last = std::max<std::int64_t>(power.shape().at(-1) - 1, 1);
      return add(power, pad(slice_axis(power, -1, 1, last), {{0, 0}, {0, 0}, {0, 0}, {1, 1}}));
    }
    const double epsilon = context().epsilon();
    const Tensor magnitude = sqrt(maximum(power, epsilon));
    return mode == "magnitude" ? magnitude : log(maximum(magnitude, epsilon));
  }

  /// The axes of the spectrum as the options say.
  Tensor arranged(const Tensor& y) const {
    const Shape& shape = y.shape();
    const std::int64_t batch = shape[0];
    const std::int64_t merged = shape[1] * shape[3];
    if (layout_.channels_first()) {
      return options_.expand_dims ? y : reshape(transpose(y, {0, 1, 3, 2}), {batch, merged, shape[2]});
    }
    if (options_.expand_dims) return transpose(y, {0, 2, 3, 1});
    return reshape(transpose(y, {0, 2, 1, 3}), {batch, shape[2], merged});
  }

  Shape output_shape(const Shape& input) const {
    const int channel_axis = layout_.channels_first() ? 1 : 2;
    const std::int64_t channels = input[channel_axis];
    const std::int64_t frequencies = options_.mode == "stft" ? 2 * frequencies_ : frequencies_;
    const std::int64_t merged = channels < 0 ? -1 : channels * frequencies;
    const Shape shape =
        conv_output_shape(input, {options_.frame_length, channels, merged}, merged,
                          {.strides = frame_step_, .padding = options_.padding, .data_format = options_.data_format});
    if (!options_.expand_dims) return shape;
    if (layout_.channels_first()) return {shape[0], channels, shape[2], frequencies};
    return {shape[0], shape[1], frequencies, channels};
  }

  /// With the format that holds.
  STFTSpectrogramOptions options_;
  ImageLayout layout_;
  std::int64_t frame_step_ = 0;
  std::int64_t frequencies_ = 0;
  /// Empty where the mode does not need it.
  Variable real_kernel_;
  Variable imaginary_kernel_;
};

}  // namespace

STFTSpectrogram::STFTSpectrogram(const STFTSpectrogramOptions& options)
    : Layer(std::make_shared<STFTSpectrogramImpl>(options)) {}

STFTSpectrogram STFTSpectrogram::from_config(const io::Json& config) {
  return STFTSpectrogram(read_layer<STFTSpectrogram>(config));
}

}  // namespace rhyton::layers
