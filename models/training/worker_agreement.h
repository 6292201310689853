#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <rhyton/framework/distribute/strategy_impl.h>
#include <rhyton/framework/tensor/variable.h>
#include <rhyton/layers/layer.h>
#include <rhyton/models/callbacks/training_state.h>

namespace rhyton::training {

/// The plan that all processes of a strategy must have before they train together.
struct WorkerPlan {
  std::int64_t samples = -1;
  std::int64_t batch_size = 0;
  std::int64_t steps_per_epoch = -1;
  int epochs = 0;
};

/// The layers of a model with their arguments and the shapes of their weights, without names, whose numbers may differ.
std::string text_of(const layers::Layer& model);

/// Throws ValueError, in all processes and with the rank that differs, unless all have the same version of the library,
/// the same model and the same plan. Does nothing in a single process.
void require_same_work(const distribute::StrategyImpl& strategy, const layers::Layer& model, const WorkerPlan& plan);

/// Throws ValueError unless all processes continue from the same position in the training.
void require_same_position(const distribute::StrategyImpl& strategy, const callbacks::FitPosition& position);

/// Sets the variables of all processes to the values of the chief.
void take_values_of_chief(const distribute::StrategyImpl& strategy, const std::vector<Variable>& variables);
/// The number of the chief.
std::uint64_t number_of_chief(const distribute::StrategyImpl& strategy, std::uint64_t own);

/// Whether `require_mirrored` is called after every epoch: RHYTON_CHECK_REPLICAS is 1.
bool checks_replicas();
/// Throws RuntimeError with the variable and the replica or rank if a mirrored variable differs in any bit.
void require_mirrored(distribute::StrategyImpl& strategy, const std::vector<Variable>& variables);

}  // namespace rhyton::training
