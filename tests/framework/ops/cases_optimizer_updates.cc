#include <string>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/optimizer_updates.h>
#include <rhyton/tests/framework/ops/conformance_case.h>

namespace rhyton::conformance {
namespace {

using Inputs = std::vector<Tensor>;

/// An update of a variable with some slots (none of them negative), its gradient and a learning rate.
Case update(const std::string& name, int slots, std::function<Inputs(const Inputs&)> call, bool counts = false) {
  Case result{.name = name, .call = std::move(call), .inputs = {{.shape = {7, 3}}}, .derivatives = 0};
  for (int i = 0; i < slots; ++i) result.inputs.push_back({.shape = {7, 3}, .lowest = 0.5, .highest = 1.5});
  result.inputs.push_back({.shape = {7, 3}, .lowest = -0.3, .highest = 0.3});
  result.inputs.push_back({.values = {0.125}});
  if (counts) result.inputs.push_back({.dtype = DType::int64, .values = {4}});
  return result;
}

}  // namespace

std::vector<Case> optimizer_update_cases() {
  return {
      update("sgd_update", 0, [](const Inputs& x) { return one(sgd_update(x[0], x[1], x[2])); }),
      update("sgd_momentum_update", 1,
             [](const Inputs& x) { return sgd_momentum_update(x[0], x[1], x[2], x[3], 0.9); }),
      update("sgd_nesterov_update", 1,
             [](const Inputs& x) { return sgd_momentum_update(x[0], x[1], x[2], x[3], 0.9, true); }),
      update(
          "adam_update", 2, [](const Inputs& x) { return adam_update(x[0], x[1], x[2], x[3], x[4], x[5]); }, true),
      update(
          "adam_decay_update", 2,
          [](const Inputs& x) { return adam_update(x[0], x[1], x[2], x[3], x[4], x[5], {}, /*weight_decay=*/0.25); },
          true),
      update(
          "adam_amsgrad_update", 3,
          [](const Inputs& x) { return adam_amsgrad_update(x[0], x[1], x[2], x[3], x[4], x[5], x[6]); }, true),
      update("adadelta_update", 2, [](const Inputs& x) { return adadelta_update(x[0], x[1], x[2], x[3], x[4]); }),
      update("adagrad_update", 1, [](const Inputs& x) { return adagrad_update(x[0], x[1], x[2], x[3]); }),
      update(
          "adamax_update", 2, [](const Inputs& x) { return adamax_update(x[0], x[1], x[2], x[3], x[4], x[5]); }, true),
      update("ftrl_update", 2,
             [](const Inputs& x) {
               return ftrl_update(x[0], x[1], x[2], x[3], x[4],
                                  {.l1_regularization_strength = 0.1,
                                   .l2_regularization_strength = 0.2,
                                   .l2_shrinkage_regularization_strength = 0.3,
                                   .beta = 0.4});
             }),
      update("ftrl_power_update", 2,
             [](const Inputs& x) { return ftrl_update(x[0], x[1], x[2], x[3], x[4], {.learning_rate_power = -0.7}); }),
      // The momentum outweighs the gradient: near 0 rounding would decide about the sign.
      update("lion_update", 1, [](const Inputs& x) { return lion_update(x[0], x[1], x[2], x[3]); }),
      update(
          "nadam_update", 2,
          [](const Inputs& x) {
            return nadam_update(x[0], x[1], x[2], x[3], x[4], x[5], Tensor::full({}, 0.25, x[0].dtype()));
          },
          true),
      update(
          "schedule_free_adamw_update", 2,
          [](const Inputs& x) {
            return schedule_free_adamw_update(x[0], x[1], x[2], x[3], x[4], x[5], {.warmup_steps = 10});
          },
          true),
      {.name = "lamb_direction",
       .call =
           [](const Inputs& x) {
             // Rates with an exact 1 - beta_2 in single precision.
             const AdamAttributes rates{.beta_1 = 0.75, .beta_2 = 0.5};
             const LambDirection step = lamb_direction(x[0], x[1], x[2], x[3], x[4], rates);
             return Inputs{step.momentum, step.velocity, step.direction, step.variable_squares, step.direction_squares};
           },
       .inputs = {{.shape = {7, 3}},
                  {.shape = {7, 3}, .lowest = 0.5, .highest = 1.5},
                  {.shape = {7, 3}, .lowest = 0.5, .highest = 1.5},
                  {.shape = {7, 3}, .lowest = -0.3, .highest = 0.3},
                  {.dtype = DType::int64, .values = {4}}},
       .derivatives = 0},
      update("rmsprop_update", 1, [](const Inputs& x) { return rmsprop_update(x[0], x[1], {}, {}, x[2], x[3]); }),
      update("rmsprop_momentum_update", 2,
             [](const Inputs& x) { return rmsprop_update(x[0], x[1], x[2], {}, x[3], x[4], {.momentum = 0.5}); }),
      update("rmsprop_centered_update", 3,
             [](const Inputs& x) {
               // The average of the gradients must be small compared with the velocity, since the root of their
               // difference is taken.
               return rmsprop_update(x[0], x[1], x[2], x[3] * 0.1, x[4], x[5], {.momentum = 0.5, .centered = true});
             }),
  };
}

}  // namespace rhyton::conformance
