#include <rhyton/layers/regularization/dropout.h>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/random.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/layers/input_spec.h>
#include <rhyton/layers/layer_config.h>
#include <rhyton/layers/regularization/dropout_mask.h>

namespace rhyton::layers {
namespace {

class DropoutImpl final : public LayerImpl {
 public:
  explicit DropoutImpl(const DropoutArguments& options) : LayerImpl(base_options(options)), options_(options) {
    const double rate = options.rate;
    if (!(rate >= 0 && rate <= 1)) {
      throw ValueError(
          "Invalid value received for argument `rate`. Expected a float value between 0 and 1. Received: rate=" +
          io::Json(rate).dump());
    }
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
    return {multiply(x, dropout_factors(noise_pattern(x), options_.rate, dropout_mask_key, draw, first_sample(x)))};
  }

  io::Json get_config() const override { return written(LayerImpl::get_config(), options_); }

 private:
  /// The index of the first sample, so that a replica draws for its samples what one device would draw. 0 for a mask
  /// that is shared by all samples.
  std::int64_t first_sample(const Tensor& x) const {
    return options_.noise_shape.has_value() && (*options_.noise_shape)[0] > 0 ? 0 : first_sample_of(x);
  }

  /// A tensor of the mask's shape, sliced from x so that the mask follows the batch size of x.
  Tensor noise_pattern(const Tensor& x) const {
    if (!options_.noise_shape.has_value()) return stop_gradient(x);
    const Shape& noise = *options_.noise_shape;
    if (noise.rank() != x.rank()) {
      throw ValueError("Argument `noise_shape` of layer \"" + name() +
                       "\" must have the rank of its input. Received: " + "noise_shape=" + noise.to_string() +
                       ", input_shape=" + x.shape().to_string());
    }
    std::vector<std::int64_t> sizes;
    for (int axis = 0; axis < x.rank(); ++axis) {
      const std::int64_t length = noise[axis] < 0 ? x.shape()[axis] : noise[axis];
      if (length != 1 && length != x.shape()[axis]) {
        throw ValueError("Argument `noise_shape` of layer \"" + name() +
                         "\" does not broadcast to its input. Received: " + "noise_shape=" + noise.to_string() +
                         ", input_shape=" + x.shape().to_string());
      }
      sizes.push_back(length);
    }
    return slice(stop_gradient(x), std::vector<std::int64_t>(sizes.size(), 0), sizes);
  }

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
