#pragma once

#include <string>

#include <rhyton/framework/tensor/tensor.h>

namespace rhyton::optimizers::schedules {

/// Throws ValueError "Argument `<name>` must be > 0. …" unless the number of steps is positive.
void require_positive(const std::string& name, double steps);

/// Throws ValueError "Argument `<name>` must be >= 0. …" for a learning rate that is negative or NaN.
void require_learning_rate(const std::string& name, double rate);

/// How many times `decay_steps` steps are over at that step, float32; only whole times with `staircase`.
Tensor periods_at(const Tensor& step, double decay_steps, bool staircase);

}  // namespace rhyton::optimizers::schedules
