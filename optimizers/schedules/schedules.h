#pragma once

// All learning rate schedules. Written by scripts/class_lists.py; do not edit.

#include <rhyton/framework/serialization/class_list.h>
#include <rhyton/optimizers/schedules/cosine_decay.h>
#include <rhyton/optimizers/schedules/cosine_decay_restarts.h>
#include <rhyton/optimizers/schedules/exponential_decay.h>
#include <rhyton/optimizers/schedules/inverse_time_decay.h>
#include <rhyton/optimizers/schedules/piecewise_constant_decay.h>
#include <rhyton/optimizers/schedules/polynomial_decay.h>

namespace rhyton::optimizers::schedules {

/// The learning rate schedules that files can name.
// clang-format off
using BuiltinSchedules = ClassList<
    CosineDecay,
    CosineDecayRestarts,
    ExponentialDecay,
    InverseTimeDecay,
    PiecewiseConstantDecay,
    PolynomialDecay>;
// clang-format on

}  // namespace rhyton::optimizers::schedules
