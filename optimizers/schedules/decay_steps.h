#pragma once

#include <string>

namespace rhyton::optimizers::schedules {

/// Throws ValueError "Argument `<name>` must be > 0. …" unless the number of steps is positive.
void require_positive(const std::string& name, double steps);

/// Throws ValueError "Argument `<name>` must be >= 0. …" for a learning rate that is negative or NaN.
void require_learning_rate(const std::string& name, double rate);

}  // namespace rhyton::optimizers::schedules
