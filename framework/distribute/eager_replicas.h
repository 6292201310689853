#pragma once

#include <functional>
#include <vector>

#include <rhyton/framework/distribute/strategy_impl.h>

namespace rhyton::distribute {

/// Calls `function` eagerly as each replica of this process, whose parts of the batch are `batches` (empty: unknown),
/// and returns each one's results. The replicas run one at a time (`Turns`); variables are mirrored. Rethrows the
/// exception of a replica.
std::vector<std::vector<Tensor>> run_eagerly(StrategyImpl& strategy, const std::vector<ReplicaBatch>& batches,
                                             const std::function<std::vector<Tensor>(int index)>& function);

}  // namespace rhyton::distribute
