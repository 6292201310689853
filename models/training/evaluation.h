#pragma once

#include <cstdint>
#include <optional>

#include <rhyton/models/callbacks/logs.h>
#include <rhyton/models/training/batch_parts.h>
#include <rhyton/models/training/batch_source.h>
#include <rhyton/models/training/callback_list.h>
#include <rhyton/models/training/interrupts.h>
#include <rhyton/models/training/options.h>
#include <rhyton/models/training/step_cache.h>
#include <rhyton/models/training/trained_model.h>

namespace rhyton::training {

/// `evaluate`: loss and metrics over the data, in the order of the model's metrics.
callbacks::Logs evaluate(TrainedModel& model, const BatchSource& data, const models::EvaluateOptions& options);

/// The validation within a `fit`: loss and metrics sorted by name. Throws KeyboardInterrupt if the fit is interrupted.
callbacks::Logs validate(TrainedModel& model, const BatchSource& data, std::optional<std::int64_t> steps,
                         const CallbackList& callbacks, InterruptAgreement& interrupts);

/// One step of training or evaluation over the only batch of the data, whose loss and metrics are returned in the order
/// of the model's metrics.
callbacks::Logs run_one_step(TrainedModel& model, StepKind kind, const BatchSource& data);

}  // namespace rhyton::training
