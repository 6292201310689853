#pragma once

#include <rhyton/datasets/dataset.h>
#include <rhyton/models/training/required_targets.h>
#include <rhyton/models/training/trainer.h>

namespace rhyton::training {

/// The data set with the dictionaries of its elements as lists in the order of the model's inputs and outputs, without the
/// tensors that the model does not take; the data set itself if its elements have no names. `targets` are those of the
/// model's losses and metrics. Throws ValueError in Keras's words if the names do not fit the model.
datasets::Dataset arranged_dataset(const datasets::Dataset& dataset, Trainee& trainee, bool with_targets,
                                   const RequiredTargets& targets);

}  // namespace rhyton::training
