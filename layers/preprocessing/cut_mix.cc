#include <rhyton/layers/preprocessing/cut_mix.h>

#include <array>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/gather.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/layers/layer_config.h>
#include <rhyton/layers/preprocessing/base_mixing.h>
#include <rhyton/layers/preprocessing/floating_compute_dtype.h>

namespace rhyton::layers {
namespace {

class CutMixImpl final : public MixingImpl {
 public:
  explicit CutMixImpl(const CutMixOptions& options)
      : MixingImpl(CutMix::keras_name, options),
        options_(options),
        factor_(bounded_range("factor", options.factor, {0, 1})) {
    options_.data_format = data_format();
    options_.factor = factor_.pair();
  }

  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool training) override {
    // A single image has no other one.
    return MixingImpl::call(inputs, training && inputs[0].rank() == 4);
  }
  io::Json get_config() const override { return written(LayerImpl::get_config(), options_); }

  LabelledImages transformed(const LabelledImages& data, bool training) override {
    // A single image has no other one.
    return MixingImpl::transformed(data, training && data.images.shape()[0] != 1);
  }

 protected:
  void check_parts(const LabelledImages& data, bool /*training*/) const override {
    if (!data.bounding_boxes.boxes.is_empty()) refuse_part("transform_bounding_boxes");
  }
  Tensor transformed_masks(const Tensor& masks, bool /*training*/) override { return to_compute_dtype(masks); }

  /// As many channels as the images have, as in Keras.
  Tensor mixed_masks(const Tensor& masks, const Shape& images, const Mixture& mixture) const override {
    const int channels = images.rank() - (data_format() == "channels_first" ? 3 : 1);
    const Tensor values = to_compute_dtype(masks);
    return mixed(broadcast_to(values, values.shape().with(channels, images[channels])), mixture);
  }

  Mixture mixture(const Tensor& images, ImageNumbers& numbers) const override {
    require_floating_compute_dtype(*this);
    constexpr double least_parameter = 1e-6;
    const DType dtype = images.dtype();
    const Tensor alpha = numbers.shared_uniform(factor_.lower, factor_.upper, dtype) + least_parameter;
    const Tensor side = sqrt(1.0 - beta_numbers(images, alpha, dtype));
    const int rows = height_axis(images.shape());
    const auto [is_in_columns, width] = interval(images, rows + 1, side, numbers);
    const auto [is_in_rows, height] = interval(images, rows, side, numbers);
    const auto area = static_cast<double>(images.shape()[rows]) * static_cast<double>(images.shape()[rows + 1]);
    const Tensor weight = 1.0 - width * height / area;
    return {.order = random_order(numbers), .weight = weight, .is_other = logical_and(is_in_rows, is_in_columns)};
  }

 private:
  /// The pixels along an axis that lie in a random interval, as long as `side` times the axis, and the lengths of the
  /// intervals, [batch].
  static std::array<Tensor, 2> interval(const Tensor& images, int axis, const Tensor& side, ImageNumbers& numbers) {
    const std::int64_t length = images.shape()[axis];
    const Tensor extent = side * static_cast<double>(length);
    const Tensor begin = numbers.uniform(0, 1, {}, images.dtype()) * (static_cast<double>(length) - extent);
    const Tensor end = begin + extent;
    const auto of_image = [&](const Tensor& x) { return reshape(x, {images.shape()[0], 1, 1, 1}); };
    const Tensor places = reshape(range(length, images.dtype()), Shape{1, 1, 1, 1}.with(axis, length));
    return {logical_and(places >= of_image(begin), places < of_image(end)), end - begin};
  }

  /// With the format that holds and a sorted factor.
  CutMixOptions options_;
  FactorRange factor_;
};

}  // namespace

CutMix::CutMix(const CutMixOptions& options) : Layer(std::make_shared<CutMixImpl>(options)) {}

CutMix CutMix::from_config(const io::Json& config) { return CutMix(read_layer<CutMix>(config)); }

}  // namespace rhyton::layers
