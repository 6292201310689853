#pragma once

#include <rhyton/models/callbacks/logs.h>
#include <rhyton/models/training/batch_source.h>
#include <rhyton/models/training/options.h>
#include <rhyton/models/training/trained_model.h>

namespace rhyton::training {

/// `fit`: trains the model on the data, with a validation on `validation` unless that is empty. The arguments of the
/// data in `options` are not used.
callbacks::History fit(TrainedModel& model, const BatchSource& data, const BatchSource& validation,
                       const models::FitOptions& options);

}  // namespace rhyton::training
