#include <rhyton/layers/preprocessing/mel_spectrogram.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/fourier.h>
#include <rhyton/framework/ops/rearranging.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/special_functions.h>
#include <rhyton/framework/ops/tensor_products.h>
#include <rhyton/layers/input_spec.h>
#include <rhyton/layers/layer_config.h>
#include <rhyton/layers/weight_limit.h>

namespace rhyton::layers {
namespace {

// Keras computes the weights of the bands in float32, also for float64.

float mel_of(float hertz) { return 1127.0F * std::log(1.0F + hertz / 700.0F); }

/// `count` numbers from `first` to `last`.
std::vector<float> evenly_spaced(float first, float last, std::int64_t count) {
  std::vector<float> numbers(static_cast<std::size_t>(count), first);
  const float step = (last - first) / static_cast<float>(std::max<std::int64_t>(count - 1, 1));
  for (std::size_t i = 1; i < numbers.size(); ++i) numbers[i] = first + step * static_cast<float>(i);
  if (count > 1) numbers.back() = last;
  return numbers;
}

/// The weight of a frequency in a band: 1 at its center, 0 at its edges. NaN where they are.
float triangle(float mel, float lower, float center, float upper) {
  const float rise = (mel - lower) / (center - lower);
  const float fall = (upper - mel) / (upper - center);
  const float height = std::isnan(fall) || fall < rise ? fall : rise;
  return height < 0.0F ? 0.0F : height;
}

/// [frequencies, bands]
Tensor band_weights(const MelSpectrogramOptions& options) {
  const std::int64_t frequencies = options.fft_length / 2 + 1;
  const auto bands = static_cast<std::size_t>(options.num_mel_bins);
  const std::vector<float> hertz = evenly_spaced(0.0F, static_cast<float>(options.sampling_rate) / 2.0F, frequencies);
  const std::vector<float> edges =
      evenly_spaced(mel_of(static_cast<float>(options.min_freq)), mel_of(static_cast<float>(*options.max_freq)),
                    options.num_mel_bins + 2);
  // The constant part of the signal, frequency 0, is in no band.
  std::vector<float> weights(bands, 0.0F);
  weights.reserve(hertz.size() * bands);
  for (std::size_t i = 1; i < hertz.size(); ++i) {
    const float mel = mel_of(hertz[i]);
    for (std::size_t band = 0; band < bands; ++band) {
      weights.push_back(triangle(mel, edges[band], edges[band + 1], edges[band + 2]));
    }
  }
  return Tensor::from_data<float>({frequencies, options.num_mel_bins}, weights);
}

void require_count(const char* argument, std::int64_t value) {
  if (value > 0) return;
  throw ValueError("`" + std::string(argument) + "` must be a positive integer. Received: " + argument + "=" +
                   std::to_string(value));
}

class MelSpectrogramImpl final : public LayerImpl {
 public:
  explicit MelSpectrogramImpl(const MelSpectrogramOptions& options)
      : LayerImpl(base_options(options)), options_(options) {
    if (options_.sequence_length.value_or(0) == 0) options_.sequence_length = options.fft_length;
    if (options_.max_freq.value_or(0) == 0) options_.max_freq = std::trunc(options.sampling_rate / 2);
    if (options.fft_length < *options_.sequence_length) {
      throw ValueError(
          "`fft_length` must be greater than or equal to   `sequence_length`. Received: `sequence_length`=" +
          std::to_string(*options_.sequence_length) + ", `fft_length`=" + std::to_string(options.fft_length) + ".");
    }
    require_count("sequence_length", *options_.sequence_length);
    require_count("sequence_stride", options.sequence_stride);
    require_count("num_mel_bins", options.num_mel_bins);
  }

  std::string class_name() const override { return MelSpectrogram::keras_name; }

  void check_inputs(const std::vector<Shape>& inputs) const override { check_input(*this, inputs, {.min_ndim = 1}); }

  void build(const std::vector<Shape>& /*inputs*/) override {
    WeightLimit::count({options_.fft_length / 2 + 1, options_.num_mel_bins}, DType::float32, path() + "/bands");
    band_weights_ = band_weights(options_);
  }

  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool) override {
    const DType computed = compute_dtype() == DType::float64 ? DType::float64 : DType::float32;
    const Tensor bands = tensordot(magnitudes(cast(inputs[0], computed)), band_weights_, 1);
    return {cast(swapaxes(options_.power_to_db ? decibels(bands) : bands, -1, -2), compute_dtype())};
  }

  /// By formulas, since the lengths that stand in for unknown ones can be too short to be mirrored.
  std::vector<TensorSpec> compute_output_specs(const std::vector<TensorSpec>& inputs) override {
    const Shape& input = inputs[0].shape;
    const std::int64_t time = input.at(-1);
    const std::int64_t frames =
        time < 0 ? -1 : 1 + std::max<std::int64_t>(time - options_.fft_length % 2, 0) / options_.sequence_stride;
    return {{input.slice(0, input.rank() - 1).concatenate({options_.num_mel_bins, frames}), compute_dtype()}};
  }

  std::int64_t largest_stride() const override { return options_.sequence_stride; }

  io::Json get_config() const override {
    io::Json config = written(LayerImpl::get_config(), options_);
    config["max_freq"] = python_number(*options_.max_freq);
    return config;
  }

 private:
  /// [..., time] -> [..., frames, frequencies]
  Tensor magnitudes(const Tensor& x) const {
    const auto [real, imaginary] =
        stft(x, *options_.sequence_length, options_.sequence_stride, options_.fft_length, sequence_window());
    return power(sqrt(add(square(real), square(imaginary))), options_.mag_exp);
  }

  SequenceWindow sequence_window() const {
    const auto& window = options_.window.value();
    if (!window) return {};
    if (window->is_name()) return window->name();
    return Tensor::from_data({static_cast<std::int64_t>(window->numbers().size())}, window->numbers());
  }

  Tensor decibels(const Tensor& x) const {
    const double reference = 10 * std::log10(std::max(std::abs(options_.ref_power), options_.min_power));
    const Tensor values = subtract(multiply(log10(maximum(x, options_.min_power)), 10.0), reference);
    return maximum(values, subtract(max(values), options_.top_db));
  }

  /// With the length and the limit that hold.
  MelSpectrogramOptions options_;
  Tensor band_weights_;
};

}  // namespace

MelSpectrogram::MelSpectrogram(const MelSpectrogramOptions& options)
    : Layer(std::make_shared<MelSpectrogramImpl>(options)) {}

MelSpectrogram MelSpectrogram::from_config(const io::Json& config) {
  return MelSpectrogram(read_layer<MelSpectrogram>(config));
}

}  // namespace rhyton::layers
