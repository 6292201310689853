#include <rhyton/layers/preprocessing/equalization.h>

#include <limits>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/category_counts.h>
#include <rhyton/framework/ops/clip.h>
#include <rhyton/framework/ops/cumulative.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/gather.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/layers/layer_config.h>
#include <rhyton/layers/preprocessing/base_image_preprocessing.h>
#include <rhyton/layers/preprocessing/floating_compute_dtype.h>

namespace rhyton::layers {
namespace {

/// The function that maps one range to another, as Keras computes it here.
struct Scaling {
  Scaling(const ValueRange& from, const ValueRange& to)
      : factor(to.length() / from.length()), offset(to.low - from.low * factor) {}
  Tensor operator()(const Tensor& x) const { return factor == 1 && offset == 0 ? x : x * factor + offset; }

  double factor;
  double offset;
};

class EqualizationImpl final : public ImagePreprocessingImpl {
 public:
  explicit EqualizationImpl(const EqualizationOptions& options)
      : ImagePreprocessingImpl(options),
        options_(options),
        to_bytes_(options.value_range.sorted(), byte_range),
        from_bytes_(byte_range, options.value_range.sorted()) {
    if (options.bins < 1 || options.bins > std::numeric_limits<std::int32_t>::max()) {
      throw ValueError("The `bins` argument should be a positive integer. Received: bins=" +
                       std::to_string(options.bins));
    }
    options_.data_format = data_format();
    options_.value_range = options.value_range.sorted();
  }

  std::string class_name() const override { return Equalization::keras_name; }

  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool training) override {
    if (!training) return inputs;
    require_floating_compute_dtype(*this);
    const Tensor images = to_compute_dtype(inputs[0]);
    const int axis = images.rank() - (options_.data_format == "channels_first" ? 3 : 1);
    if (images.size() == 0) return {images};
    std::vector<Tensor> channels;
    for (std::int64_t i = 0; i < images.shape()[axis]; ++i) {
      channels.push_back(equalized(slice_axis(images, axis, i, i + 1)));
    }
    return {concatenate(channels, axis)};
  }

  io::Json get_config() const override { return written(LayerImpl::get_config(), options_); }

 private:
  Tensor equalized(const Tensor& given) const {
    const auto last = static_cast<double>(options_.bins - 1);
    const Tensor channel = to_bytes_(given);
    const Tensor places = cast(cast(channel, DType::float32) * last / byte_range.high, DType::int32);
    // Counted in float64: Keras's products of counts and 255 overflow for more than eight million pixels.
    const Tensor counts =
        category_counts(reshape(clip(places, 0, options_.bins - 1), {-1}), options_.bins, DType::float64);
    const Tensor indices = cast(clip(channel / 255.0 * last, 0, last), DType::int32);
    const Tensor values = gather(cast(from_bytes_(new_values(counts)), compute_dtype()), indices);
    const Tensor is_uniform = sum(cast(counts > 0, DType::int32)) <= 1;
    return where(is_uniform, cast(from_bytes_(cast(channel, DType::float64)), compute_dtype()), values);
  }

  /// The value that takes the place of those of a bin, for each bin.
  static Tensor new_values(const Tensor& counts) {
    const Tensor sums = cumsum(counts);
    const Tensor least = min(where(sums > 0, sums, std::numeric_limits<double>::infinity()));
    const Tensor rest = max(sums) - least;
    return clip(round((sums - least) * 255 / where(equal(rest, 0), 1.0, rest)), 0, 255);
  }

  /// With the format that holds and a sorted range.
  EqualizationOptions options_;
  Scaling to_bytes_;
  Scaling from_bytes_;
};

}  // namespace

Equalization::Equalization(const EqualizationOptions& options) : Layer(std::make_shared<EqualizationImpl>(options)) {}

Equalization Equalization::from_config(const io::Json& config) {
  return Equalization(read_layer<Equalization>(config));
}

}  // namespace rhyton::layers
