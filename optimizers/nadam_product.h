#pragma once

#include <cstdint>

namespace rhyton::optimizers {

/// The product of the rates of Nadam's momentum after that many steps, ∏ beta_1 (1 - 0.96ⁱ / 2), which the optimizer
/// keeps as a variable: for files that do not have it.
double nadam_product(double beta_1, std::int64_t steps);

}  // namespace rhyton::optimizers
