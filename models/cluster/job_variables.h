#pragma once

#include <vector>

#include <rhyton/framework/tensor/variable.h>
#include <rhyton/models/cluster/variable_placement.h>
#include <rhyton/optimizers/optimizer.h>

namespace rhyton::distribute {

/// The variables of a program that a job trains, in the same order in all of its tasks.
struct JobVariables {
  /// Those that the optimizer trains.
  std::vector<Variable> trained;
  /// All others that steps change: moving averages, counters, random states.
  std::vector<Variable> others;
  optimizers::Optimizer optimizer;
};

/// Throws NotImplementedError for an optimizer whose step so many servers cannot take as one process would, each with
/// its part of the variables, and for variables with constraints; ValueError as VariablePlacement. All tasks of a
/// program find out by themselves.
void require_servable(const JobVariables& variables, int num_servers, const VariablePartitioner& partitioner);

}  // namespace rhyton::distribute
