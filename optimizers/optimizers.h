#pragma once

// All optimizers. Written by scripts/class_lists.py; do not edit.

#include <rhyton/framework/serialization/class_list.h>
#include <rhyton/optimizers/adam.h>
#include <rhyton/optimizers/adam_w.h>
#include <rhyton/optimizers/loss_scale_optimizer.h>
#include <rhyton/optimizers/rmsprop.h>
#include <rhyton/optimizers/sgd.h>

namespace rhyton::optimizers {

/// The optimizers that files can name.
// clang-format off
using BuiltinOptimizers = ClassList<
    Adam,
    AdamW,
    LossScaleOptimizer,
    RMSprop,
    SGD>;
// clang-format on

}  // namespace rhyton::optimizers
