#include <rhyton/models/cluster/job_variables.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

#include <rhyton/framework/error.h>

namespace rhyton::distribute {
namespace {

/// Optimizers that update every element by itself, so that each server can take its part of a step.
constexpr std::array elementwise_optimizers = {"SGD",     "RMSprop", "Adam",  "AdamW", "Adadelta",
                                               "Adagrad", "Adamax",  "Nadam", "Ftrl",  "Lion"};

void require_supported(const optimizers::Optimizer& optimizer, const std::vector<Variable>& trained) {
  const auto& impl = *optimizer.impl();
  if (!impl.inner_optimizer().is_empty() || !impl.parts().empty()) {
    throw NotImplementedError(
        "ParameterServerStrategy does not train with " + optimizer.class_name() +
        ", which needs the gradients of all variables in one place: expected a single optimizer.");
  }
  for (const Variable& variable : trained) {
    if (!variable.constraint()) continue;
    throw NotImplementedError("ParameterServerStrategy does not train the variable '" + variable.path() +
                              "', which has a constraint: servers do not know it.");
  }
}

}  // namespace

void require_servable(const JobVariables& variables, int num_servers, const VariablePartitioner& partitioner) {
  const optimizers::Optimizer& optimizer = variables.optimizer;
  require_supported(optimizer, variables.trained);
  const VariablePlacement placement(variables.trained, num_servers, partitioner);
  const optimizers::OptimizerOptions& options = optimizer.impl()->options();
  const std::vector<Variable>& all = variables.trained;
  const std::size_t trained = all.size();
  for (std::size_t i = 0; i < trained; ++i) {
    if (!placement.is_divided(i)) continue;
    const std::string what = "the variable '" + all[i].path() + "' of shape " + all[i].shape().to_string() +
                             " is divided into " + std::to_string(placement.shards_of(i).size()) + " parts";
    if (std::find(elementwise_optimizers.begin(), elementwise_optimizers.end(), optimizer.class_name()) ==
        elementwise_optimizers.end()) {
      throw NotImplementedError(optimizer.class_name() + " may need the whole variable for its step, but " + what +
                                ": expected no variable_partitioner, or an optimizer that updates every element by "
                                "itself.");
    }
    if (options.clipnorm.value_or(0) > 0) {
      throw NotImplementedError("clipnorm needs the whole gradient of a variable, but " + what +
                                ": expected no variable_partitioner, or clipvalue.");
    }
  }
  if (options.global_clipnorm.value_or(0) <= 0) return;
  for (std::size_t i = 0; i < trained; ++i) {
    for (const Shard& shard : placement.shards_of(i)) {
      if (shard.server == 0) continue;
      throw NotImplementedError("global_clipnorm needs all gradients in one place, but they are on " +
                                std::to_string(num_servers) + " servers: expected one server, clipnorm or clipvalue.");
    }
  }
}

}  // namespace rhyton::distribute
