#include <rhyton/layers/preprocessing/random_flip.h>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/rearranging.h>
#include <rhyton/layers/layer_config.h>
#include <rhyton/layers/preprocessing/base_random_image.h>

namespace rhyton::layers {
namespace {

class RandomFlipImpl final : public RandomImageImpl {
 public:
  explicit RandomFlipImpl(const RandomFlipOptions& options)
      : RandomImageImpl(RandomFlip::keras_name, base_options(options), options.data_format, options.seed),
        options_(options) {
    if (data_format() != "channels_last") options_.data_format = data_format();
  }

  io::Json get_config() const override { return written(LayerImpl::get_config(), options_); }

 protected:
  Tensor augmented(const Tensor& images, ImageNumbers& numbers) const override {
    constexpr double half = 0.5;
    const Tensor is_flipped = less_equal(numbers.uniform(0, 1), half);
    const bool both = options_.mode == "horizontal_and_vertical";
    const int rows = height_axis(images.shape());
    Tensor flipped = images;
    if (both || options_.mode == "horizontal") flipped = flip(flipped, rows + 1);
    if (both || options_.mode == "vertical") flipped = flip(flipped, rows);
    return where_image(is_flipped, flipped, images);
  }

 private:
  /// With the format that holds, unless it is the default.
  RandomFlipOptions options_;
};

}  // namespace

RandomFlip::RandomFlip(const RandomFlipOptions& options) : Layer(std::make_shared<RandomFlipImpl>(options)) {}

RandomFlipOptions RandomFlip::with_mode(const std::string& mode, const RandomFlipOptions& options) {
  RandomFlipOptions result = options;
  result.mode = mode;
  return result;
}

RandomFlip RandomFlip::from_config(const io::Json& config) { return RandomFlip(read_layer<RandomFlip>(config)); }

}  // namespace rhyton::layers
