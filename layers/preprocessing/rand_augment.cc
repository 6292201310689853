#include <rhyton/layers/preprocessing/rand_augment.h>

#include <array>
#include <vector>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/layers/layer_config.h>
#include <rhyton/layers/preprocessing/base_random_image.h>
#include <rhyton/layers/preprocessing/floating_compute_dtype.h>
#include <rhyton/layers/preprocessing/image_changes.h>

namespace rhyton::layers {
namespace {

/// Their attributes in Keras's class, in the order of the numbers that are drawn.
constexpr std::array<const char*, 11> rand_augment_changes = {
    "random_shear",    "random_translation", "random_rotation",      "random_brightness", "random_color_degeneration",
    "random_contrast", "random_sharpness",   "random_posterization", "solarization",      "auto_contrast",
    "equalization"};

class RandAugmentImpl final : public RandomImageImpl {
 public:
  explicit RandAugmentImpl(const RandAugmentOptions& options)
      : RandomImageImpl(RandAugment::keras_name, options),
        options_(options) {
    if (options.num_ops < 0) {
      throw ValueError("The `num_ops` argument should not be negative. Received: num_ops=" +
                       std::to_string(options.num_ops));
    }
    const FactorRange factor = bounded_range("factor", options.factor, {0, 1});
    options_.data_format = data_format();
    options_.factor = factor.pair();
    const ChangeOptions given{factor,        options.value_range, options.interpolation,
                              data_format(), options.seed,        options.dtype};
    for (const char* const attribute : rand_augment_changes) {
      changes_.push_back(track(attribute, make_change(attribute, given)));
    }
  }

  io::Json get_config() const override { return written(LayerImpl::get_config(), options_); }

  Tensor augmented(const Tensor& images, ImageNumbers& numbers) const override {
    require_floating_compute_dtype(*this);
    std::vector<Tensor> chosen;
    for (std::int64_t i = 0; i < options_.num_ops; ++i) {
      chosen.push_back(floor(numbers.shared_uniform(0, static_cast<double>(changes_.size()))));
    }
    std::vector<ImageNumbers> numbers_of_changes(changes_.size(), ImageNumbers(images, state()));
    Tensor result = images;
    for (const Tensor& number : chosen) {
      for (std::size_t i = 0; i < changes_.size(); ++i) {
        numbers_of_changes[i].repeat();
        const Tensor changed_images = changed(changes_[i], result, numbers_of_changes[i]);
        result = where(equal(number, static_cast<double>(i)), changed_images, result);
      }
    }
    return result;
  }

 private:
  /// With the format that holds and a sorted factor.
  RandAugmentOptions options_;
  std::vector<Layer> changes_;
};

}  // namespace

RandAugment::RandAugment(const RandAugmentOptions& options) : Layer(std::make_shared<RandAugmentImpl>(options)) {}

RandAugment RandAugment::from_config(const io::Json& config) { return RandAugment(read_layer<RandAugment>(config)); }

}  // namespace rhyton::layers
