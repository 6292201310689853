// The strings and class names of metrics in Keras.

#include <array>
#include <string_view>

#include <rhyton/framework/error.h>
#include <rhyton/framework/serialization/custom_objects.h>
#include <rhyton/framework/snake_case.h>
#include <rhyton/models/metrics/accuracy.h>
#include <rhyton/models/metrics/crossentropy.h>
#include <rhyton/models/metrics/named_metrics.h>
#include <rhyton/models/metrics/reduction.h>
#include <rhyton/models/metrics/regression.h>
#include <rhyton/optimizers/class_names.h>

namespace rhyton::metrics {
namespace {

/// A dtype is a name or, since Keras 3.4, possibly a policy object.
std::string dtype_name(const io::Json& config) {
  const io::Json* dtype = config.find("dtype");
  if (dtype == nullptr || dtype->is_null()) return {};
  return dtype->is_object() ? (*dtype)["config"]["name"].as_string() : dtype->as_string();
}

// One reader for each argument of a metric; a metric's options have some of them.

template <class Options>
void read_from_logits(const io::Json& config, Options& options) {
  if constexpr (requires { options.from_logits; })
    options.from_logits = config.get_or("from_logits", options.from_logits);
}

template <class Options>
void read_label_smoothing(const io::Json& config, Options& options) {
  if constexpr (requires { options.label_smoothing; }) {
    options.label_smoothing = config.get_or("label_smoothing", options.label_smoothing);
  }
}

template <class Options>
void read_ignore_class(const io::Json& config, Options& options) {
  if constexpr (requires { options.ignore_class; }) {
    const io::Json* value = config.find("ignore_class");
    if (value != nullptr && !value->is_null()) options.ignore_class = static_cast<int>(value->as_int());
  }
}

template <class Options>
void read_axis(const io::Json& config, Options& options) {
  if constexpr (requires { options.axis; }) options.axis = config.get_or("axis", options.axis);
}

template <class Options>
void read_threshold(const io::Json& config, Options& options) {
  if constexpr (requires { options.threshold; }) options.threshold = config.get_or("threshold", options.threshold);
}

template <class Options>
void read_k(const io::Json& config, Options& options) {
  if constexpr (requires { options.k; }) options.k = config.get_or("k", options.k);
  if constexpr (requires { options.from_sorted_ids; }) {
    options.from_sorted_ids = config.get_or("from_sorted_ids", options.from_sorted_ids);
  }
}

template <class Handle, class Options = MetricOptions>
Metric make(const io::Json& config) {
  static_assert(sizeof(Handle) == sizeof(Metric), "a metric handle has no members of its own");
  Options options;
  options.name = config.get_or("name", options.name);
  options.dtype = dtype_name(config);
  read_from_logits(config, options);
  read_label_smoothing(config, options);
  read_ignore_class(config, options);
  read_axis(config, options);
  read_threshold(config, options);
  read_k(config, options);
  return Handle(options);
}

struct Entry {
  std::string_view class_name;
  Metric (*from_config)(const io::Json& config);
  std::array<std::string_view, 2> aliases = {};
};

constexpr Entry entries[] = {
    {"Mean", make<Mean>},
    {"Sum", make<Sum>},
    {"MeanSquaredError", make<MeanSquaredError>, {"mse", "MSE"}},
    {"RootMeanSquaredError", make<RootMeanSquaredError>},
    {"MeanAbsoluteError", make<MeanAbsoluteError>, {"mae", "MAE"}},
    {"MeanAbsolutePercentageError", make<MeanAbsolutePercentageError>, {"mape", "MAPE"}},
    {"MeanSquaredLogarithmicError", make<MeanSquaredLogarithmicError>, {"msle", "MSLE"}},
    {"LogCoshError", make<LogCoshError>},
    {"CosineSimilarity", make<CosineSimilarity, CosineSimilarityOptions>},
    {"Hinge", make<Hinge>},
    {"SquaredHinge", make<SquaredHinge>},
    {"CategoricalHinge", make<CategoricalHinge>},
    {"KLDivergence", make<KLDivergence>},
    {"Poisson", make<Poisson>},
    {"BinaryCrossentropy", make<BinaryCrossentropy, BinaryCrossentropyOptions>, {"bce", "BCE"}},
    {"CategoricalCrossentropy", make<CategoricalCrossentropy, CategoricalCrossentropyOptions>},
    {"SparseCategoricalCrossentropy", make<SparseCategoricalCrossentropy, SparseCategoricalCrossentropyOptions>},
    {"Accuracy", make<Accuracy>},
    {"BinaryAccuracy", make<BinaryAccuracy, BinaryAccuracyOptions>},
    {"CategoricalAccuracy", make<CategoricalAccuracy>},
    {"SparseCategoricalAccuracy", make<SparseCategoricalAccuracy>},
    {"TopKCategoricalAccuracy", make<TopKCategoricalAccuracy, TopKCategoricalAccuracyOptions>},
    {"SparseTopKCategoricalAccuracy", make<SparseTopKCategoricalAccuracy, SparseTopKCategoricalAccuracyOptions>},
};

const Entry* find_entry(std::string_view class_name) {
  for (const Entry& entry : entries) {
    if (entry.class_name == class_name) return &entry;
  }
  return nullptr;
}

/// Finds a metric by its class name, or by one of Keras's strings for it.
const Entry* find_named(const std::string& name) {
  for (const Entry& entry : entries) {
    if (entry.class_name == name || snake_case(entry.class_name) == name || entry.aliases[0] == name ||
        entry.aliases[1] == name) {
      return &entry;
    }
  }
  return nullptr;
}

/// Finds the metric of a function in the form that Keras 2 wrote for "accuracy" after resolving it: a MeanMetricWrapper
/// with {"fn": "sparse_categorical_accuracy"}.
const Entry* find_wrapped(const std::string& class_name, const io::Json& config) {
  if (class_name != "MeanMetricWrapper" && class_name != "SumOverBatchSizeMetricWrapper") return nullptr;
  const io::Json* function = config.find("fn");
  if (function != nullptr && function->is_object()) function = function->find("config");
  if (function == nullptr || !function->is_string()) return nullptr;
  for (const Entry& entry : entries) {
    if (snake_case(entry.class_name) == function->as_string()) return &entry;
  }
  return nullptr;
}

/// Custom metrics are created now, since they may be registered for this load only; others are resolved by the shapes
/// later.
MetricArgument named(const std::string& identifier) {
  if (const auto factory = find_class<Metric>({}, identifier)) return factory(io::Json::object());
  return identifier;
}

}  // namespace

Metric find_named_metric(const std::string& identifier) {
  if (identifier.empty()) return {};
  if (const auto factory = find_class<Metric>({}, identifier)) return factory(io::Json::object());
  const Entry* const entry = find_named(identifier);
  return entry == nullptr ? Metric() : entry->from_config(io::Json::object());
}

bool is_known_metric(const std::string& registered_name, const std::string& name) {
  if (name.empty()) return false;
  return find_class<Metric>(registered_name, name) || is_accuracy_by_shape(name) || find_named(name) != nullptr;
}

io::Json serialize(const Metric& metric) {
  if (metric.is_empty()) return {};
  if (!metric.impl()->identifier().empty()) return metric.impl()->identifier();
  if (metric.class_name() == "MeanMetricWrapper") {
    return io::Json::object({{"module", "builtins"},
                             {"class_name", "function"},
                             {"config", metric.name()},
                             {"registered_name", "function"}});
  }
  if (find_entry(metric.class_name()) == nullptr)
    return custom_object<Metric>(metric.class_name(), metric.get_config());
  return io::Json::object({{"module", "keras.metrics"},
                           {"class_name", metric.class_name()},
                           {"config", metric.get_config()},
                           {"registered_name", nullptr}});
}

io::Json serialize(const MetricArgument& metric) {
  return metric.identifier().empty() ? serialize(metric.metric()) : io::Json(metric.identifier());
}

MetricArgument deserialize(const io::Json& serialized) {
  if (serialized.is_null()) return {};
  if (serialized.is_string()) return named(serialized.as_string());
  const std::string& class_name = serialized["class_name"].as_string();
  const io::Json& config = serialized["config"];
  if (class_name == "function") return named(config.as_string());
  if (const auto factory = find_class<Metric>(serialized.get_or("registered_name", ""), class_name))
    return factory(config);
  if (const Entry* entry = find_entry(class_name)) return entry->from_config(config);
  if (const Entry* entry = find_wrapped(class_name, config)) return entry->from_config(config);
  throw TypeError("Could not locate class '" + class_name +
                  "'. Make sure custom classes are registered with `register_metric` before they are loaded. Full "
                  "object config: " +
                  serialized.dump());
}

void register_metric(const std::string& class_name, std::function<Metric(const io::Json& config)> factory,
                     const std::string& package) {
  register_class<Metric>(package, class_name, std::move(factory));
}

}  // namespace rhyton::metrics
