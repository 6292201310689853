#pragma once

#include <vector>

#include <rhyton/framework/tensor/tensor.h>
#include <rhyton/models/training/batch_source.h>
#include <rhyton/models/training/options.h>
#include <rhyton/models/training/trained_model.h>

namespace rhyton::training {

/// `predict`: the outputs for all samples of the data, one tensor for each output of the model.
std::vector<Tensor> predict(TrainedModel& model, const BatchSource& data, const models::PredictOptions& options);

}  // namespace rhyton::training
