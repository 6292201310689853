#include <rhyton/layers/preprocessing/rand_augment.h>

#include <array>
#include <vector>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/layers/call_stack.h>
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
      : RandomImageImpl(RandAugment::keras_name, options), options_(options) {
    if (options.num_ops < 0) {
      throw ValueError("The `num_ops` argument should not be negative. Received: num_ops=" +
                       std::to_string(options.num_ops));
    }
    const FactorRange factor = bounded_range("factor", options.factor, {0, 1});
    options_.data_format = data_format();
    options_.factor = factor.pair();
    const ChangeOptions given{.factor = factor,
                              .value_range = options.value_range,
                              .interpolation = options.interpolation,
                              .data_format = data_format(),
                              .bounding_box_format = options.bounding_box_format,
                              .seed = options.seed,
                              .dtype = options.dtype};
    for (const char* const attribute : rand_augment_changes) {
      changes_.push_back(track(attribute, make_change(attribute, given)));
    }
  }

  io::Json get_config() const override { return written(LayerImpl::get_config(), options_); }

  Tensor augmented(const Tensor& images, ImageNumbers& numbers) const override {
    Choice choice = chosen(images, numbers);
    return augmented(images, images.shape(), choice, changed_of_images);
  }

  LabelledImages transformed(const LabelledImages& data, bool training) override {
    if (!training || is_inferring()) return RandomImageImpl::transformed(data, false);
    LabelledImages result = data;
    const Tensor images = prepared(data.images);
    ImageNumbers numbers(images, state());
    Choice choice = chosen(images, numbers);
    result.images = augmented(images, images.shape(), choice, changed_of_images);
    if (!data.bounding_boxes.boxes.is_empty()) {
      result.bounding_boxes = boxes_of(data.bounding_boxes, images.shape(), choice);
    }
    if (!data.segmentation_masks.is_empty()) {
      result.segmentation_masks = augmented(data.segmentation_masks, images.shape(), choice, changed_masks);
    }
    return result;
  }

 private:
  /// What a call drew.
  struct Choice {
    /// The number of the change of each operation.
    std::vector<Tensor> operations;
    /// Of each change.
    std::vector<ImageNumbers> numbers;
  };

  Choice chosen(const Tensor& images, ImageNumbers& numbers) const {
    require_floating_compute_dtype(*this);
    std::vector<Tensor> operations;
    for (std::int64_t i = 0; i < options_.num_ops; ++i) {
      operations.push_back(floor(numbers.shared_uniform(0, static_cast<double>(changes_.size()))));
    }
    return {std::move(operations), {changes_.size(), ImageNumbers(images, state())}};
  }

  static Tensor changed_of_images(const Layer& change, const Tensor& images, const Shape& /*shape*/,
                                  ImageNumbers& numbers) {
    return changed(change, images, numbers);
  }

  /// The operations one after the other on images or masks.
  template <class Change>
  Tensor augmented(const Tensor& given, const Shape& images, Choice& choice, const Change& change) const {
    Tensor result = given;
    for (const Tensor& number : choice.operations) {
      for (std::size_t i = 0; i < changes_.size(); ++i) {
        choice.numbers[i].repeat();
        const Tensor other = change(changes_[i], result, images, choice.numbers[i]);
        result = where(equal(number, static_cast<double>(i)), other, result);
      }
    }
    return result;
  }

  /// Each of the changes that were chosen once, in the order of the list, as in Keras.
  LabelledBoxes boxes_of(const LabelledBoxes& given, const Shape& images, Choice& choice) const {
    LabelledBoxes result = given;
    for (std::size_t i = 0; i < changes_.size(); ++i) {
      choice.numbers[i].repeat();
      const LabelledBoxes other = changed_boxes(changes_[i], result, images, choice.numbers[i]);
      for (const Tensor& number : choice.operations) {
        const Tensor is_chosen = equal(number, static_cast<double>(i));
        result.boxes = where(is_chosen, cast(other.boxes, result.boxes.dtype()), result.boxes);
        result.labels = where(is_chosen, other.labels, result.labels);
      }
    }
    return result;
  }

  /// With the format that holds and a sorted factor.
  RandAugmentOptions options_;
  std::vector<Layer> changes_;
};

}  // namespace

RandAugment::RandAugment(const RandAugmentOptions& options) : Layer(std::make_shared<RandAugmentImpl>(options)) {}

RandAugment RandAugment::from_config(const io::Json& config) { return RandAugment(read_layer<RandAugment>(config)); }

}  // namespace rhyton::layers
