#include <rhyton/models/training/compiled_metrics.h>

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/listeners.h>
#include <rhyton/framework/python_list.h>
#include <rhyton/framework/tensor/step_mutex.h>
#include <rhyton/models/training/batches.h>
#include <rhyton/models/training/output_indices.h>

namespace rhyton::training {
namespace {

using Lists = std::vector<models::MetricsArgument::List>;

[[noreturn]] void refuse(const std::string& argument, const std::vector<std::string>& names,
                         const std::string& received) {
  throw ValueError("Invalid `" + argument + "`. `" + argument +
                   "` should contain metrics objects and either be a dict or a list matching the output names of the "
                   "functional model " +
                   python_list(names) + " or match the output structure of the model. Received: " + received);
}

Lists per_output(const models::MetricsArgument& argument, const std::string& name,
                 const std::vector<std::string>& outputs) {
  Lists lists(outputs.size());
  const OutputIndices indices(outputs);
  for (const auto& [output, list] : argument.map()) {
    if (indices.of(output).empty()) refuse(name, outputs, "a metric for '" + output + "'");
    for (const std::size_t i : indices.of(output)) lists[i] = list;
  }
  if (!argument.lists().empty() && outputs.size() == 1) {
    for (const models::MetricsArgument::List& list : argument.lists()) {
      lists[0].insert(lists[0].end(), list.begin(), list.end());
    }
  } else if (!argument.lists().empty()) {
    if (argument.lists().size() != outputs.size()) {
      refuse(name, outputs, std::to_string(argument.lists().size()) + " lists of metrics");
    }
    lists = argument.lists();
  }
  if (!argument.list().empty()) {
    if (outputs.size() == 1) {
      lists[0] = argument.list();
    } else if (argument.list().size() == outputs.size()) {
      for (std::size_t i = 0; i < outputs.size(); ++i) lists[i] = {argument.list()[i]};
    } else {
      refuse(name, outputs, std::to_string(argument.list().size()) + " metrics");
    }
  }
  return lists;
}

/// Gives metrics names that differ, as Keras does.
class MetricNames {
 public:
  struct Name {
    std::string text;
    bool is_bare = true;
  };

  /// The name of a metric of an output; `prefix` has the output's name if there are several outputs.
  Name next(const std::string& prefix, const std::string& metric, bool weighted) {
    Name name{prefix + metric, prefix.empty()};
    if (weighted && used_.contains(name.text)) name = {prefix + "weighted_" + metric, false};
    if (!used_.insert(name.text).second) name = {numbered(name.text), false};
    return name;
  }

 private:
  std::string numbered(const std::string& base) {
    int& count = counts_[base];
    std::string candidate;
    do {
      candidate = base + "_" + std::to_string(++count);
    } while (!used_.insert(candidate).second);
    return candidate;
  }

  std::unordered_set<std::string> used_;
  // The last number after each name. The numbers before are used.
  std::unordered_map<std::string, int> counts_;
};

}  // namespace

CompiledMetrics::CompiledMetrics(const models::MetricsArgument& metrics,
                                 const models::MetricsArgument& weighted_metrics, std::vector<std::string> output_names)
    : output_names_(std::move(output_names)),
      metrics_(per_output(metrics, "metrics", output_names_)),
      weighted_metrics_(per_output(weighted_metrics, "weighted_metrics", output_names_)) {}

bool CompiledMetrics::is_empty() const {
  const auto has_none = [](const models::MetricsArgument::List& list) { return list.empty(); };
  return std::all_of(metrics_.begin(), metrics_.end(), has_none) &&
         std::all_of(weighted_metrics_.begin(), weighted_metrics_.end(), has_none);
}

std::vector<bool> CompiledMetrics::outputs() const {
  const auto is_given = [](const metrics::MetricArgument& metric) { return !metric.is_empty(); };
  std::vector<bool> outputs;
  for (std::size_t i = 0; i < output_names_.size(); ++i) {
    outputs.push_back(std::any_of(metrics_[i].begin(), metrics_[i].end(), is_given) ||
                      std::any_of(weighted_metrics_[i].begin(), weighted_metrics_[i].end(), is_given));
  }
  return outputs;
}

void CompiledMetrics::update(const std::vector<Tensor>& y, const std::vector<Tensor>& y_pred,
                             const std::vector<Tensor>& sample_weight) {
  if (!is_resolved()) {
    std::vector<TensorSpec> targets;
    for (const Tensor& target : y) targets.push_back(target.is_empty() ? TensorSpec() : target.spec());
    resolve(targets, specs_of(y_pred));
  }
  for (const Entry& entry : entries()) {
    entry.metric.update_state(y.at(entry.output), y_pred.at(entry.output),
                              entry.weighted ? sample_weight.at(entry.output) : Tensor());
  }
}

void CompiledMetrics::resolve(const std::vector<TensorSpec>& y, const std::vector<TensorSpec>& y_pred) {
  const std::scoped_lock lock(making_mutex());
  if (resolved_) return;
  entries_.clear();
  const WithoutStepMutex variables_are_new;
  const InitScope eager;
  MetricNames names;
  const auto add = [&](const Lists& lists, bool weighted) {
    for (std::size_t output = 0; output < lists.size(); ++output) {
      for (const metrics::MetricArgument& argument : lists[output]) {
        if (argument.is_empty()) continue;
        const std::string& given = argument.identifier();
        const std::string prefix = output_names_.size() > 1 ? output_names_[output] + "_" : "";
        metrics::Metric metric = argument.resolve(y.at(output), y_pred.at(output));
        metric.impl()->ensure_built(y.at(output), y_pred.at(output));
        const auto [name, is_bare] = names.next(prefix, given.empty() ? metric.name() : given, weighted);
        entries_.push_back({std::move(metric), output, weighted, name, is_bare});
      }
    }
  };
  add(metrics_, false);
  add(weighted_metrics_, true);
  resolved_.store(true, std::memory_order_release);
}

const std::vector<CompiledMetrics::Entry>& CompiledMetrics::entries() const {
  static const std::vector<Entry> none;
  return is_resolved() ? entries_ : none;
}

std::vector<std::string> CompiledMetrics::bare_names() const {
  std::vector<std::string> names;
  for (const Entry& entry : entries()) {
    if (entry.is_bare) names.push_back(entry.name);
  }
  return names;
}

std::vector<CompiledMetrics::Result> CompiledMetrics::results() const {
  std::vector<Result> results;
  const InitScope eager;
  for (const Entry& entry : entries()) {
    const Tensor value = entry.metric.result();
    results.push_back(
        {entry.name, value.rank() == 0 ? callbacks::LogValue(value.item()) : callbacks::LogValue(value.to_vector())});
  }
  return results;
}

void CompiledMetrics::reset() const {
  const InitScope eager;
  for (const Entry& entry : entries()) entry.metric.reset_state();
}

std::vector<Variable> CompiledMetrics::variables() const {
  std::vector<Variable> variables;
  for (const Entry& entry : entries()) {
    const std::vector<Variable>& own = entry.metric.variables();
    variables.insert(variables.end(), own.begin(), own.end());
  }
  return variables;
}

std::string direction_of(const metrics::Metric& metric) {
  if (!metric.impl()->direction().empty()) return metric.impl()->direction();
  const std::string& type = metric.class_name();
  if (type.find("Accuracy") != std::string::npos) return "up";
  if (type.find("Error") != std::string::npos || type.find("Crossentropy") != std::string::npos) return "down";
  return {};
}

std::string CompiledMetrics::direction_of(const std::string& name) const {
  for (const Entry& entry : entries()) {
    if (entry.metric.name() != name && entry.name != name) continue;
    if (std::string direction = training::direction_of(entry.metric); !direction.empty()) return direction;
  }
  return {};
}

}  // namespace rhyton::training
