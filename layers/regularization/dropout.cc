#include <rhyton/layers/regularization/dropout.h>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/random.h>
#include <rhyton/layers/input_spec.h>
#include <rhyton/layers/layer_config.h>
#include <rhyton/layers/regularization/dropout_mask.h>

namespace rhyton::layers {
namespace {

class DropoutImpl final : public LayerImpl {
 public:
  explicit DropoutImpl(const DropoutArguments& options) : LayerImpl(base_options(options)), options_(options) {
    const double rate = options.rate;
    require_fraction("rate", rate);
    if (options.noise_shape.has_value()) {
      for (int axis = 0; axis < options.noise_shape->rank(); ++axis) {
        if ((*options.noise_shape)[axis] != 0) continue;
        throw ValueError(
            "Invalid value received for argument `noise_shape`. Expected all dimensions to be positive integers or "
            "None. "
            "Received negative or zero value at index " +
            std::to_string(axis) + ": 0");
      }
    }
    if (rate > 0) state_ = add_state(first_dropout_draw(options.seed), "seed_generator_state");
    mark_built();
  }

  std::string class_name() const override { return Dropout::keras_name; }
  bool supports_masking() const override { return true; }

  void check_inputs(const std::vector<Shape>& inputs) const override { check_input(*this, inputs); }

  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool training) override {
    const Tensor& x = inputs[0];
    if (!training || options_.rate == 0) return {x};
    const Tensor draw = next_dropout_draw(state_);
    if (options_.rate == 1) return {zeros_like(x)};
    const NoisePattern pattern = noise_pattern(x, options_.noise_shape, name());
    return {multiply(x, dropout_factors(pattern.like, options_.rate, dropout_mask_key, draw, pattern.first_sample))};
  }

  io::Json get_config() const override { return written(LayerImpl::get_config(), options_); }

 private:
  DropoutArguments options_;
  /// Counts the training calls, each of which draws its own mask, starting from a number derived from the seed. It is
  /// the whole random state.
  Variable state_;
};

}  // namespace

Dropout::Dropout(double rate, const DropoutOptions& options)
    : Layer(std::make_shared<DropoutImpl>(DropoutArguments{options, rate})) {}

Dropout Dropout::from_config(const io::Json& config) {
  const auto arguments = read_layer<Dropout>(config);
  return Dropout(arguments.rate, arguments);
}

}  // namespace rhyton::layers
