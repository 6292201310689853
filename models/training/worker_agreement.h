#pragma once

#include <cstdint>
#include <vector>

#include <rhyton/framework/distribute/strategy_impl.h>
#include <rhyton/framework/tensor/variable.h>
#include <rhyton/layers/layer.h>
#include <rhyton/models/callbacks/training_state.h>

namespace rhyton::training {

/// What the processes of a strategy must agree on before they train together.
struct WorkerPlan {
  /// The data: samples, batch size, steps in an epoch, epochs, order.
  std::int64_t samples = -1;
  std::int64_t batch_size = 0;
  std::int64_t steps_per_epoch = -1;
  int epochs = 0;
};

/// Makes sure that all processes have the same version of the library, the same model and as many data. Throws
/// ValueError in all of them, naming the rank that differs. Does nothing for one process alone.
void require_same_work(const distribute::StrategyImpl& strategy, const layers::Layer& model, const WorkerPlan& plan);

/// Makes sure that all processes go on from the same place in the training.
void require_same_position(const distribute::StrategyImpl& strategy, const callbacks::FitPosition& position);

/// Sets the variables of all processes to those of the chief.
void take_values_of_chief(const distribute::StrategyImpl& strategy, const std::vector<Variable>& variables);
/// The chief's number.
std::uint64_t number_of_chief(const distribute::StrategyImpl& strategy, std::uint64_t own);

/// Whether `require_mirrored` is to be called after every epoch: RHYTON_CHECK_REPLICAS is 1.
bool checks_replicas();
/// Throws RuntimeError naming the variable and the replica or rank where a mirrored variable is not equal, bit by bit.
void require_mirrored(distribute::StrategyImpl& strategy, const std::vector<Variable>& variables);

}  // namespace rhyton::training
