#pragma once

// All optimizers. Written by scripts/class_lists.py; do not edit.

#include <rhyton/framework/serialization/class_list.h>
#include <rhyton/optimizers/adadelta.h>
#include <rhyton/optimizers/adafactor.h>
#include <rhyton/optimizers/adagrad.h>
#include <rhyton/optimizers/adam.h>
#include <rhyton/optimizers/adam_w.h>
#include <rhyton/optimizers/adamax.h>
#include <rhyton/optimizers/ftrl.h>
#include <rhyton/optimizers/lamb.h>
#include <rhyton/optimizers/lion.h>
#include <rhyton/optimizers/loss_scale_optimizer.h>
#include <rhyton/optimizers/multi_optimizer.h>
#include <rhyton/optimizers/muon.h>
#include <rhyton/optimizers/nadam.h>
#include <rhyton/optimizers/rmsprop.h>
#include <rhyton/optimizers/schedule_free_adam_w.h>
#include <rhyton/optimizers/sgd.h>

namespace rhyton::optimizers {

/// The optimizers that files can name.
// clang-format off
using BuiltinOptimizers = ClassList<
    Adadelta,
    Adafactor,
    Adagrad,
    Adam,
    AdamW,
    Adamax,
    Ftrl,
    Lamb,
    Lion,
    LossScaleOptimizer,
    MultiOptimizer,
    Muon,
    Nadam,
    RMSprop,
    SGD,
    ScheduleFreeAdamW>;
// clang-format on

}  // namespace rhyton::optimizers
