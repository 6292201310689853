#include <rhyton/layers/preprocessing/auto_contrast.h>

#include <rhyton/framework/ops/clip.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/layers/layer_config.h>
#include <rhyton/layers/preprocessing/base_image_preprocessing.h>
#include <rhyton/layers/preprocessing/floating_compute_dtype.h>

namespace rhyton::layers {
namespace {

class AutoContrastImpl final : public ImagePreprocessingImpl {
 public:
  explicit AutoContrastImpl(const AutoContrastOptions& options) : ImagePreprocessingImpl(options), options_(options) {
    options_.data_format = data_format();
    options_.value_range = options.value_range.sorted();
  }

  std::string class_name() const override { return AutoContrast::keras_name; }

  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool) override {
    const DType dtype = compute_dtype();
    require_floating_compute_dtype(*this);
    const Tensor given = cast(inputs[0], dtype);
    if (given.size() == 0) return {given};
    const Tensor images = transform_value_range(given, options_.value_range, byte_range, dtype);
    const std::vector<int> axes = {-3, -2};
    const Tensor low = min(images, axes, true);
    // Infinite for a channel with one value, whose results are then no numbers.
    const Tensor scale = 255.0 / (max(images, axes, true) - low);
    const Tensor stretched = clip(images * scale + negative(low) * scale, 0.0, 255.0);
    const Tensor results = transform_value_range(stretched, byte_range, options_.value_range, dtype);
    return {where(isnan(results), given, results)};
  }

  io::Json get_config() const override { return written(LayerImpl::get_config(), options_); }

 private:
  /// With the format that holds and a sorted range.
  AutoContrastOptions options_;
};

}  // namespace

AutoContrast::AutoContrast(const AutoContrastOptions& options) : Layer(std::make_shared<AutoContrastImpl>(options)) {}

AutoContrast AutoContrast::from_config(const io::Json& config) {
  return AutoContrast(read_layer<AutoContrast>(config));
}

}  // namespace rhyton::layers
