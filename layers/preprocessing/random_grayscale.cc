#include <rhyton/layers/preprocessing/random_grayscale.h>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/image/colour_spaces.h>
#include <rhyton/layers/layer_config.h>
#include <rhyton/layers/preprocessing/base_random_colour.h>

namespace rhyton::layers {
namespace {

class RandomGrayscaleImpl final : public RandomColourImpl {
 public:
  explicit RandomGrayscaleImpl(const RandomGrayscaleOptions& options)
      : RandomColourImpl(RandomGrayscale::keras_name, options, Integers::kept), options_(options) {
    if (options.factor < 0 || options.factor > 1) {
      throw ValueError("`factor` should be between 0 and 1. Received: factor=" + io::Json(options.factor).dump());
    }
    options_.data_format = data_format();
  }

  io::Json get_config() const override { return written(LayerImpl::get_config(), options_); }

  Tensor augmented(const Tensor& images, ImageNumbers& numbers) const override {
    const Tensor is_grey = numbers.uniform(0, 1, {1, 1, 1}) < options_.factor;
    return where(is_grey, image::rgb_to_grayscale(images, options_.data_format), images);
  }

 private:
  /// With the format that holds.
  RandomGrayscaleOptions options_;
};

}  // namespace

RandomGrayscale::RandomGrayscale(const RandomGrayscaleOptions& options)
    : Layer(std::make_shared<RandomGrayscaleImpl>(options)) {}

RandomGrayscale RandomGrayscale::from_config(const io::Json& config) {
  return RandomGrayscale(read_layer<RandomGrayscale>(config));
}

}  // namespace rhyton::layers
