#pragma once

#include <functional>
#include <vector>

#include <rhyton/framework/distribute/strategy_impl.h>

namespace rhyton::distribute {

/// Calls `function` eagerly as each replica of this process, whose parts of the batch are `batches` (empty: not known),
/// and gives what each returns. The replicas take turns (`Turns`); variables are mirrored. Rethrows what one throws.
std::vector<std::vector<Tensor>> run_eagerly(StrategyImpl& strategy, const std::vector<ReplicaBatch>& batches,
                                             const std::function<std::vector<Tensor>(int index)>& function);

}  // namespace rhyton::distribute
