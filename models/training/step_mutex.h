#pragma once

#include <shared_mutex>

namespace rhyton::training {

/// Held shared by each step of training, evaluation or prediction while it runs, and alone by whoever copies or sets
/// the variables of models from another thread: so that nobody sees a variable, or a model, that is half-way through a
/// step.
std::shared_mutex& step_mutex();

}  // namespace rhyton::training
