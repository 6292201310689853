#include <rhyton/layers/regularization/gaussian_noise.h>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/layers/input_spec.h>
#include <rhyton/layers/layer_config.h>
#include <rhyton/layers/regularization/dropout_mask.h>

namespace rhyton::layers {
namespace {

class GaussianNoiseImpl final : public LayerImpl {
 public:
  explicit GaussianNoiseImpl(const GaussianNoiseArguments& options)
      : LayerImpl(base_options(options)), options_(options) {
    require_fraction("stddev", options.stddev);
    if (options.stddev > 0) state_ = add_state(first_dropout_draw(options.seed), "seed_generator_state");
    mark_built();
  }

  std::string class_name() const override { return GaussianNoise::keras_name; }
  bool supports_masking() const override { return true; }
  void check_inputs(const std::vector<Shape>& inputs) const override { check_input(*this, inputs); }
  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool training) override {
    const Tensor& x = inputs[0];
    if (!training || options_.stddev == 0) return {x};
    const Tensor noise = multiply(normal_like(x, next_dropout_draw(state_)), options_.stddev);
    return {add(x, to_compute_dtype(noise))};
  }
  io::Json get_config() const override { return written(LayerImpl::get_config(), options_); }

 private:
  GaussianNoiseArguments options_;
  /// The number of draws, as that of Dropout.
  Variable state_;
};

}  // namespace

GaussianNoise::GaussianNoise(double stddev, const GaussianNoiseOptions& options)
    : Layer(std::make_shared<GaussianNoiseImpl>(GaussianNoiseArguments{options, stddev})) {}

GaussianNoise GaussianNoise::from_config(const io::Json& config) {
  const auto arguments = read_layer<GaussianNoise>(config);
  return GaussianNoise(arguments.stddev, arguments);
}

}  // namespace rhyton::layers
