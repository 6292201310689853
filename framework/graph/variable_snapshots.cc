#include <rhyton/framework/graph/variable_snapshots.h>

#include <algorithm>

namespace rhyton::graph {

std::shared_ptr<const VariableSnapshot> VariableSnapshots::take() {
  const auto& variables = plan_.variables;
  if (std::shared_ptr<const VariableSnapshot> latest = latest_.lock()) {
    if (are_current(latest->versions)) return latest;
  }
  const auto snapshot = std::make_shared<VariableSnapshot>();
  snapshot->values.resize(variables.size());
  snapshot->addresses.resize(variables.size(), nullptr);
  for (std::size_t i = 0; i < variables.size(); ++i) {
    const Variable& variable = variables[i].second;
    snapshot->versions.push_back(variable.version());
    if (plan_.variable_written[i]) continue;
    snapshot->values[i] = variable.stored_value();
    // Kernels write to outputs only, and no output is placed in a variable that the plan does not assign.
    snapshot->addresses[i] = const_cast<void*>(snapshot->values[i].raw_data());  // NOLINT
  }
  latest_ = snapshot;
  return snapshot;
}

bool VariableSnapshots::are_current(const std::vector<std::uint64_t>& versions) const {
  return std::equal(plan_.variables.begin(), plan_.variables.end(), versions.begin(),
                    [](const auto& entry, std::uint64_t version) { return entry.second.version() == version; });
}

}  // namespace rhyton::graph
