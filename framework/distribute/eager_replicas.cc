#include <rhyton/framework/distribute/eager_replicas.h>

#include <mutex>
#include <utility>

#include <rhyton/framework/distribute/mirrored_interpreter.h>
#include <rhyton/framework/distribute/turns.h>
#include <rhyton/framework/tensor/step_mutex.h>

namespace rhyton::distribute {

std::vector<std::vector<Tensor>> run_eagerly(StrategyImpl& strategy, const std::vector<ReplicaBatch>& batches,
                                             const std::function<std::vector<Tensor>(int index)>& function) {
  // Alone: the copies of all variables are renewed, and those of other models may be in the midst of a step.
  const std::unique_lock step(step_mutex());
  MirroredVariables& variables = strategy.variables();
  variables.renew_all();
  std::vector<std::vector<Tensor>> results(static_cast<std::size_t>(strategy.replicas_of_this_process()));
  Turns turns(strategy.replicas_of_this_process());
  strategy.run_replicas([&](int index) {
    const auto at = static_cast<std::size_t>(index);
    try {
      turns.begin(index);
      ReplicaContext context = strategy.replica_context_of(index, batches.empty() ? ReplicaBatch() : batches[at]);
      context.communicator = turns.wrap(context.communicator, index);
      const ReplicaScope replica(std::move(context));
      MirroredInterpreter interpreter(variables, index);
      const ListenerScope listening(interpreter);
      results[at] = function(index);
      turns.finish(index);
    } catch (...) {
      turns.abandon();
      throw;
    }
  });
  variables.note_step_of_all();
  return results;
}

}  // namespace rhyton::distribute
