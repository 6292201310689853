#include <rhyton/models/training/argument_checks.h>

#include <algorithm>

#include <fmt/format.h>

#include <rhyton/framework/error.h>
#include <rhyton/framework/python_list.h>
#include <rhyton/framework/serialization/keras_names.h>
#include <rhyton/framework/warning.h>
#include <rhyton/models/metrics/named_metrics.h>

namespace rhyton::training {

using callbacks::Callback;

void require_positive(const char* name, const std::optional<std::int64_t>& value) {
  if (value && *value <= 0) {
    throw ValueError(fmt::format("`{0}` must be a positive integer. Received: {0}={1}", name, *value));
  }
}

void require_callbacks(const std::vector<Callback>& callbacks) {
  for (const Callback& callback : callbacks) {
    if (callback.is_empty()) throw ValueError("`callbacks` must not contain an empty callback.");
  }
}

void check_fit_options(const models::FitOptions& options) {
  require_positive("steps_per_epoch", options.steps_per_epoch);
  require_positive("validation_steps", options.validation_steps);
  require_callbacks(options.callbacks);
  if (options.validation_split < 0 || options.validation_split >= 1) {
    throw ValueError(
        fmt::format("`validation_split` must be in [0, 1). Received: validation_split={}", options.validation_split));
  }
}

void check_compile_options(const models::CompileOptions& options) {
  const auto check = [](const models::MetricsArgument::List& list) {
    for (const metrics::MetricArgument& metric : list) {
      const std::string& name = metric.identifier();
      if (name.empty() || metrics::is_known_metric({}, name)) continue;
      const bool is_of_keras = is_keras_name("metric", name);
      throw ValueError("Could not interpret metric identifier: " + name +
                       (is_of_keras ? ". Keras has this metric, Rhyton has not." : ""));
    }
  };
  for (const models::MetricsArgument* argument : {&options.metrics, &options.weighted_metrics}) {
    check(argument->list());
    for (const models::MetricsArgument::List& list : argument->lists()) check(list);
    for (const auto& [output, list] : argument->map()) check(list);
  }
}

void require_inputs(const std::vector<std::string>& keys, const std::vector<std::string>& inputs) {
  for (const std::string& input : inputs) {
    if (std::find(keys.begin(), keys.end(), input) != keys.end()) continue;
    throw ValueError("Missing data for input \"" + input + "\". You passed a data dictionary with keys " +
                     python_list(keys) + ". Expected the following keys: " + python_list(inputs));
  }
  if (keys.size() == inputs.size()) return;
  warn("The structure of `inputs` doesn't match the expected structure. Expected the keys " + python_list(inputs) +
       ". Received the keys " + python_list(keys) + "; the data of others are not used.");
}

void require_validation_targets(const models::CompileOptions& options, std::size_t targets) {
  if (targets == 0 && !options.loss.is_empty()) {
    throw ValueError("None values not supported. `validation_data` has no targets, and the model has a loss.");
  }
}

void require_nothing_beside_dataset(const std::optional<std::int64_t>& batch_size, const Tensors& sample_weight) {
  if (batch_size) {
    throw ValueError(fmt::format(
        "The `batch_size` argument must not be specified for the given input type. Received: a Dataset, batch_size={}",
        *batch_size));
  }
  if (!sample_weight.is_empty()) {
    throw ValueError(
        "When providing `x` as a Dataset, `sample_weights` should not be passed. Instead, the sample weights should be "
        "included as part of the Dataset.");
  }
}

std::optional<std::int64_t> capped(std::optional<std::int64_t> value, std::optional<std::int64_t> limit) {
  if (!limit || *limit == 0) return value;
  return std::min(value.value_or(*limit), *limit);
}

}  // namespace rhyton::training
