#include <rhyton/layers/regularization/alpha_dropout.h>

#include <cmath>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/layers/input_spec.h>
#include <rhyton/layers/layer_config.h>
#include <rhyton/layers/regularization/dropout_mask.h>

namespace rhyton::layers {
namespace {

class AlphaDropoutImpl final : public LayerImpl {
 public:
  explicit AlphaDropoutImpl(const AlphaDropoutArguments& options)
      : LayerImpl(base_options(options)), options_(options) {
    require_fraction("rate", options.rate);
    if (options.rate > 0) state_ = add_state(first_dropout_draw(options.seed), "seed_generator_state");
    mark_built();
  }

  std::string class_name() const override { return AlphaDropout::keras_name; }
  bool supports_masking() const override { return true; }
  void check_inputs(const std::vector<Shape>& inputs) const override { check_input(*this, inputs); }
  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool training) override {
    const Tensor& x = inputs[0];
    const double rate = options_.rate;
    if (!training || rate == 0) return {x};
    require_finite_noise(*this, rate);
    const NoisePattern pattern = noise_pattern(x, options_.noise_shape, name());
    const Tensor numbers =
        uniform_like(pattern.like, dropout_mask_key, next_dropout_draw(state_), pattern.first_sample);
    const Tensor kept = to_compute_dtype(cast(greater_equal(numbers, rate), numbers.dtype()));

    // What SELU tends to at -∞.
    constexpr double dropped = -1.6732632423543772848170429916717 * 1.0507009873554804934193349852946;
    const double a = 1 / std::sqrt((1 - rate) * (1 + rate * dropped * dropped));
    const double b = -a * dropped * rate;
    const Tensor y = add(multiply(x, kept), add(multiply(kept, -dropped), dropped));
    return {add(multiply(y, a), b)};
  }
  io::Json get_config() const override { return written(LayerImpl::get_config(), options_); }

 private:
  AlphaDropoutArguments options_;
  /// The number of draws, as that of Dropout.
  Variable state_;
};

}  // namespace

AlphaDropout::AlphaDropout(double rate, const AlphaDropoutOptions& options)
    : Layer(std::make_shared<AlphaDropoutImpl>(AlphaDropoutArguments{options, rate})) {}

AlphaDropout AlphaDropout::from_config(const io::Json& config) {
  const auto arguments = read_layer<AlphaDropout>(config);
  return AlphaDropout(arguments.rate, arguments);
}

}  // namespace rhyton::layers
