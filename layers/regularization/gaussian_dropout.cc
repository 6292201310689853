#include <rhyton/layers/regularization/gaussian_dropout.h>

#include <cmath>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/layers/input_spec.h>
#include <rhyton/layers/layer_config.h>
#include <rhyton/layers/regularization/dropout_mask.h>

namespace rhyton::layers {
namespace {

class GaussianDropoutImpl final : public LayerImpl {
 public:
  explicit GaussianDropoutImpl(const GaussianDropoutArguments& options)
      : LayerImpl(base_options(options)), options_(options) {
    require_fraction("rate", options.rate);
    if (options.rate > 0) state_ = add_state(first_dropout_draw(options.seed), "seed_generator_state");
    mark_built();
  }

  std::string class_name() const override { return GaussianDropout::keras_name; }
  bool supports_masking() const override { return true; }
  void check_inputs(const std::vector<Shape>& inputs) const override { check_input(*this, inputs); }
  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool training) override {
    const Tensor& x = inputs[0];
    if (!training || options_.rate == 0) return {x};
    require_finite_noise(*this, options_.rate);
    const double stddev = std::sqrt(options_.rate / (1 - options_.rate));
    const Tensor noise = add(multiply(normal_like(x, next_dropout_draw(state_)), stddev), 1.0);
    return {multiply(x, to_compute_dtype(noise))};
  }
  io::Json get_config() const override { return written(LayerImpl::get_config(), options_); }

 private:
  GaussianDropoutArguments options_;
  /// The number of draws, as that of Dropout.
  Variable state_;
};

}  // namespace

GaussianDropout::GaussianDropout(double rate, const GaussianDropoutOptions& options)
    : Layer(std::make_shared<GaussianDropoutImpl>(GaussianDropoutArguments{options, rate})) {}

GaussianDropout GaussianDropout::from_config(const io::Json& config) {
  const auto arguments = read_layer<GaussianDropout>(config);
  return GaussianDropout(arguments.rate, arguments);
}

}  // namespace rhyton::layers
