#include <rhyton/optimizers/nadam.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <rhyton/framework/context.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/optimizer_updates.h>
#include <rhyton/framework/warning.h>
#include <rhyton/optimizers/nadam_product.h>
#include <rhyton/optimizers/optimizer_config.h>

namespace rhyton::optimizers {
namespace {

class NadamImpl final : public OptimizerImpl {
 public:
  explicit NadamImpl(const NadamOptions& options)
      : OptimizerImpl(Nadam::keras_name, base_options(options)), options_(options) {}

  void make_slots(const std::vector<Variable>& variables) override {
    for (const Variable& variable : variables) {
      momentums_.push_back(add_variable_from_reference(variable, "momentum"));
      velocities_.push_back(add_variable_from_reference(variable, "velocity"));
    }
    const DType dtype = variables.empty() ? dtype_from_name(context().floatx()) : variables.front().dtype();
    product_ = add_variable(Tensor::full({}, 1.0, dtype), "variable");
  }

  void update_step(const Tensor& gradient, const Variable& variable, const Tensor& learning_rate) override {
    const std::size_t i = index_of(variable);
    const std::vector<Tensor> updated =
        nadam_update(variable.value(), momentums_[i].value(), velocities_[i].value(), gradient, learning_rate,
                     iterations(), cast(product_.value(), variable.dtype()),
                     {.beta_1 = options_.beta_1, .beta_2 = options_.beta_2, .epsilon = options_.epsilon});
    variable.assign(updated[0]);
    momentums_[i].assign(updated[1]);
    velocities_[i].assign(updated[2]);
  }

  void update_step_of_slices(const SummedSlices& gradient, const Variable& variable,
                             const Tensor& learning_rate) override {
    const std::size_t i = index_of(variable);
    const DType dtype = variable.dtype();
    const auto number = [&](double value) { return Tensor::full({}, value, dtype); };
    const Tensor beta_1 = number(options_.beta_1);
    const Tensor beta_2 = number(options_.beta_2);
    const auto rate_at = [&](const Tensor& step) { return beta_1 * (1.0 - 0.5 * power(number(0.96), step)); };
    const Tensor step = cast(iterations() + 1, dtype);
    const Tensor rate_now = rate_at(step);
    const Tensor rate_next = rate_at(cast(iterations() + 2, dtype));
    const Tensor product = cast(product_.value(), dtype);
    const Tensor m = momentums_[i].value();
    const Tensor v = velocities_[i].value();
    const Tensor momentum = m + (gradient.sum - m) * (1.0 - beta_1);
    const Tensor velocity = v + (gradient.moment - v) * (1.0 - beta_2);
    const Tensor ahead =
        rate_next * momentum / (1.0 - product * rate_next) + (1.0 - rate_now) * gradient.sum / (1.0 - product);
    momentums_[i].assign(momentum);
    velocities_[i].assign(velocity);
    variable.assign(variable.value() - ahead * cast(learning_rate, dtype) /
                                           (sqrt(velocity / (1.0 - power(beta_2, step))) + options_.epsilon));
  }
  SliceMoment slice_moment(const Variable& /*variable*/) const override { return SliceMoment::squares; }

  void begin_step() override {
    const Tensor step = cast(iterations() + 1, product_.dtype());
    product_.assign(product_.value() * options_.beta_1 * (1.0 - 0.5 * power(0.96, step)));
  }

  io::Json get_config() const override { return written(OptimizerImpl::get_config(), options_); }

 private:
  NadamOptions options_;
  std::vector<Variable> momentums_;
  std::vector<Variable> velocities_;
  /// Of the rates of the momentum so far.
  Variable product_;
};

}  // namespace

double nadam_product(double beta_1, std::int64_t steps) {
  double product = 1.0;
  for (std::int64_t i = 1; i <= steps && product > 0.0; ++i) {
    product *= beta_1 * (1.0 - 0.5 * std::pow(0.96, static_cast<double>(i)));
  }
  return product;
}

Nadam::Nadam(const NadamOptions& options) : Optimizer(std::make_shared<NadamImpl>(options)) {}

Nadam Nadam::from_config(const io::Json& config) {
  io::Json own = config;
  // That of the momentum's schedule: "decay" in `tf.keras.optimizers.legacy`, where other optimizers have that of the
  // learning rate.
  bool has_other_schedule = false;
  for (const char* const key : {"schedule_decay", "decay"}) {
    if (own.is_object()) has_other_schedule |= own.erase(key);
  }
  if (has_other_schedule) {
    warn(
        "The Nadam of Keras 2 warms up its momentum by a schedule with an argument of its own, `schedule_decay`, which "
        "that of Keras 3 does not have. The optimizer trains on with the schedule of Keras 3.");
  }
  return Nadam(read_optimizer<Nadam>(own));
}

}  // namespace rhyton::optimizers
