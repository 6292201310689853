#include <rhyton/layers/preprocessing/aug_mix.h>

#include <array>
#include <vector>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/framework/random/philox.h>
#include <rhyton/layers/call_stack.h>
#include <rhyton/layers/layer_config.h>
#include <rhyton/layers/preprocessing/base_mixing.h>
#include <rhyton/layers/preprocessing/base_random_image.h>
#include <rhyton/layers/preprocessing/floating_compute_dtype.h>
#include <rhyton/layers/preprocessing/image_changes.h>
#include <rhyton/layers/regularization/dropout_mask.h>

namespace rhyton::layers {
namespace {

constexpr std::uint64_t weights_key = 0x7765696768747300;
constexpr std::uint64_t changes_key = 0x6368616e67657300;

/// Their attributes in Keras's class. The last four are left out without `all_ops`.
constexpr std::array<const char*, 11> aug_mix_changes = {
    "random_shear",    "random_translation", "random_rotation",   "random_posterization",      "solarization",
    "auto_contrast",   "equalization",       "random_brightness", "random_color_degeneration", "random_contrast",
    "random_sharpness"};
constexpr std::size_t colour_changes = 4;

class AugMixImpl final : public RandomImageImpl {
 public:
  explicit AugMixImpl(const AugMixOptions& options)
      : RandomImageImpl(AugMix::keras_name, options), options_(options), first_draw_(state().value()) {
    if (options.num_chains < 0 || options.chain_depth < 0 || !(options.alpha > 0)) {
      throw ValueError(
          "The `num_chains` and `chain_depth` arguments should not be negative, and `alpha` should be positive. "
          "Received: num_chains=" +
          std::to_string(options.num_chains) + ", chain_depth=" + std::to_string(options.chain_depth) +
          ", alpha=" + io::Json(options.alpha).dump());
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
    const std::size_t count = aug_mix_changes.size() - (options.all_ops ? 0 : colour_changes);
    for (std::size_t i = 0; i < count; ++i) {
      changes_.push_back(track(aug_mix_changes[i], make_change(aug_mix_changes[i], given)));
    }
  }

  io::Json get_config() const override { return written(LayerImpl::get_config(), options_); }

  Tensor augmented(const Tensor& images, ImageNumbers& /*numbers*/) const override {
    Mixture mixture = drawn(images);
    return mixed_images(images, mixture);
  }

  LabelledImages transformed(const LabelledImages& data, bool training) override {
    if (!training || is_inferring()) return RandomImageImpl::transformed(data, false);
    LabelledImages result = data;
    const Tensor images = prepared(data.images);
    Mixture mixture = drawn(images);
    result.images = mixed_images(images, mixture);
    if (!data.segmentation_masks.is_empty()) {
      result.segmentation_masks = mixed(
          to_compute_dtype(data.segmentation_masks), mixture,
          [&](Step& step, const Tensor& x) { return changed_masks(step.change, x, images.shape(), step.numbers); });
    }
    return result;
  }

 private:
  struct Step {
    Layer change;
    ImageNumbers numbers;
  };

  /// What a call drew.
  struct Mixture {
    std::vector<std::vector<Step>> chains;
    Tensor chain_weights;
    /// Of the image itself.
    Tensor weight;
  };

  Mixture drawn(const Tensor& images) const {
    require_floating_compute_dtype(*this);
    std::vector<std::vector<Step>> chains;
    for (const std::vector<Layer>& changes : draw_chains()) {
      std::vector<Step>& chain = chains.emplace_back();
      for (const Layer& change : changes) chain.push_back({change, ImageNumbers(images, state())});
    }
    const Tensor chain_weights = normalized(options_.num_chains);
    return {std::move(chains), chain_weights, slice_axis(normalized(2), 0, 0, 1)};
  }

  Tensor mixed_images(const Tensor& images, Mixture& mixture) const {
    const auto change = [](Step& step, const Tensor& x) { return changed(step.change, x, step.numbers); };
    return clip_to(mixed(images, mixture, change), options_.value_range);
  }

  /// The results of all chains on images or masks, mixed.
  template <class Change>
  static Tensor mixed(const Tensor& images, Mixture& mixture, const Change& change) {
    Tensor sum = zeros_like(images);
    for (std::size_t i = 0; i < mixture.chains.size(); ++i) {
      Tensor result = images;
      for (Step& step : mixture.chains[i]) {
        step.numbers.repeat();
        result = change(step, result);
      }
      const auto place = static_cast<std::int64_t>(i);
      sum = sum + result * slice_axis(mixture.chain_weights, 0, place, place + 1);
    }
    return mixture.weight * images + (1.0 - mixture.weight) * sum;
  }

  /// Numbers of the gamma distribution divided by their sum, [count], in the compute dtype: of the Dirichlet
  /// distribution, for two numbers the beta distribution.
  Tensor normalized(std::int64_t count) const {
    const Tensor shapes = Tensor::full({count}, options_.alpha, DType::float64);
    const Tensor drawn = gamma_numbers(shapes, weights_key, next_dropout_draw(state()));
    return to_compute_dtype(drawn / sum(drawn));
  }

  /// The changes of each chain, on the host: those of a traced function are drawn once.
  std::vector<std::vector<Layer>> draw_chains() const {
    const Tensor current = state().value();
    const Tensor& draw = current.is_concrete() ? current : first_draw_;
    random::PhiloxSequence bits(changes_key, static_cast<std::uint64_t>(*draw.data<std::int64_t>()));
    std::vector<std::vector<Layer>> chains(static_cast<std::size_t>(options_.num_chains));
    for (std::vector<Layer>& chain : chains) {
      for (std::int64_t i = 0; i < options_.chain_depth; ++i) {
        // The last number stands for no change.
        const auto number = static_cast<std::size_t>(bits.next_below(changes_.size() + 1));
        if (number < changes_.size()) chain.push_back(changes_[number]);
      }
    }
    return chains;
  }

  /// With the format that holds and a sorted factor.
  AugMixOptions options_;
  /// What the random state begins with.
  Tensor first_draw_;
  std::vector<Layer> changes_;
};

}  // namespace

AugMix::AugMix(const AugMixOptions& options) : Layer(std::make_shared<AugMixImpl>(options)) {}

AugMix AugMix::from_config(const io::Json& config) { return AugMix(read_layer<AugMix>(config)); }

}  // namespace rhyton::layers
