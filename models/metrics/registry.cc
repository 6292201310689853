// The strings and class names of metrics in Keras.

#include <any>
#include <array>
#include <concepts>
#include <string_view>

#include <rhyton/framework/error.h>
#include <rhyton/framework/serialization/config_reader.h>
#include <rhyton/framework/serialization/custom_objects.h>
#include <rhyton/framework/serialization/option_table.h>
#include <rhyton/framework/snake_case.h>
#include <rhyton/models/losses/function_loss.h>
#include <rhyton/models/metrics/accuracy.h>
#include <rhyton/models/metrics/auc.h>
#include <rhyton/models/metrics/confusion.h>
#include <rhyton/models/metrics/correlation.h>
#include <rhyton/models/metrics/crossentropy.h>
#include <rhyton/models/metrics/f_score.h>
#include <rhyton/models/metrics/iou.h>
#include <rhyton/models/metrics/named_metrics.h>
#include <rhyton/models/metrics/reduction.h>
#include <rhyton/models/metrics/regression.h>
#include <rhyton/optimizers/class_names.h>

namespace rhyton::metrics {
namespace {

/// Lists all members of a metric's options: those that all metrics have, then its own.
template <class Options, class Fields>
void visit_metric(Options& options, Fields& fields) {
  MetricOptions::visit(options, fields);
  if constexpr (!std::same_as<std::remove_const_t<Options>, MetricOptions>) Options::visit(options, fields);
}

template <class Handle, class Options>
Metric make(const std::string& class_name, const io::Json& config) {
  static_assert(sizeof(Handle) == sizeof(Metric), "a metric handle has no members of its own");
  ConfigReader reader("metric", class_name, config);
  Options options;
  visit_metric(options, reader);
  reader.finish();
  if constexpr (requires { Handle::from_arguments(options); }) {
    return Handle::from_arguments(options);
  } else {
    return Handle(options);
  }
}

template <class Options>
OptionTable table(const std::string& class_name) {
  return option_table<Options>(class_name, [](const auto& options, auto& rows) { visit_metric(options, rows); });
}

/// What follows from the listing of a class's options.
struct Form {
  Metric (*from_config)(const std::string& class_name, const io::Json& config);
  OptionTable (*options)(const std::string& class_name);
};

template <class Handle, class Options = MetricOptions>
constexpr Form form = {make<Handle, Options>, table<Options>};
/// Of a class with arguments that have no default.
template <class Handle>
constexpr Form form_of_arguments = form<Handle, typename Handle::Arguments>;

struct Entry {
  std::string_view class_name;
  Form form;
  std::array<std::string_view, 2> aliases = {};
};

constexpr Entry entries[] = {
    {"Mean", form<Mean>},
    {"Sum", form<Sum>},
    {"MeanSquaredError", form<MeanSquaredError>, {"mse", "MSE"}},
    {"RootMeanSquaredError", form<RootMeanSquaredError>},
    {"MeanAbsoluteError", form<MeanAbsoluteError>, {"mae", "MAE"}},
    {"MeanAbsolutePercentageError", form<MeanAbsolutePercentageError>, {"mape", "MAPE"}},
    {"MeanSquaredLogarithmicError", form<MeanSquaredLogarithmicError>, {"msle", "MSLE"}},
    {"LogCoshError", form<LogCoshError>},
    {"CosineSimilarity", form<CosineSimilarity, CosineSimilarityOptions>},
    {"Hinge", form<Hinge>},
    {"SquaredHinge", form<SquaredHinge>},
    {"CategoricalHinge", form<CategoricalHinge>},
    {"KLDivergence", form<KLDivergence>},
    {"Poisson", form<Poisson>},
    {"BinaryCrossentropy", form<BinaryCrossentropy, BinaryCrossentropyOptions>, {"bce", "BCE"}},
    {"CategoricalCrossentropy", form<CategoricalCrossentropy, CategoricalCrossentropyOptions>},
    {"SparseCategoricalCrossentropy", form<SparseCategoricalCrossentropy, SparseCategoricalCrossentropyOptions>},
    {"Accuracy", form<Accuracy>},
    {"BinaryAccuracy", form<BinaryAccuracy, BinaryAccuracyOptions>},
    {"CategoricalAccuracy", form<CategoricalAccuracy>},
    {"SparseCategoricalAccuracy", form<SparseCategoricalAccuracy>},
    {"TopKCategoricalAccuracy", form<TopKCategoricalAccuracy, TopKCategoricalAccuracyOptions>},
    {"SparseTopKCategoricalAccuracy", form<SparseTopKCategoricalAccuracy, SparseTopKCategoricalAccuracyOptions>},
    {"R2Score", form<R2Score, R2ScoreOptions>},
    {"AUC", form<AUC, AUCOptions>},
    {"FalseNegatives", form<FalseNegatives, ConfusionCountOptions>},
    {"FalsePositives", form<FalsePositives, ConfusionCountOptions>},
    {"TrueNegatives", form<TrueNegatives, ConfusionCountOptions>},
    {"TruePositives", form<TruePositives, ConfusionCountOptions>},
    {"Precision", form<Precision, PrecisionOptions>},
    {"Recall", form<Recall, RecallOptions>},
    {"PrecisionAtRecall", form_of_arguments<PrecisionAtRecall>},
    {"RecallAtPrecision", form_of_arguments<RecallAtPrecision>},
    {"SensitivityAtSpecificity", form_of_arguments<SensitivityAtSpecificity>},
    {"SpecificityAtSensitivity", form_of_arguments<SpecificityAtSensitivity>},
    {"F1Score", form<F1Score, F1ScoreOptions>},
    {"FBetaScore", form<FBetaScore, FBetaScoreOptions>},
    {"BinaryIoU", form<BinaryIoU, BinaryIoUOptions>},
    {"IoU", form_of_arguments<IoU>},
    {"MeanIoU", form_of_arguments<MeanIoU>},
    {"OneHotIoU", form_of_arguments<OneHotIoU>},
    {"OneHotMeanIoU", form_of_arguments<OneHotMeanIoU>},
    {"ConcordanceCorrelation", form<ConcordanceCorrelation, ConcordanceCorrelationOptions>},
    {"PearsonCorrelation", form<PearsonCorrelation, PearsonCorrelationOptions>},
};

/// A function of this namespace, with its name in Keras.
struct FunctionEntry {
  std::string_view name;
  /// With the defaults of further arguments.
  Tensor (*function)(const Tensor& y_true, const Tensor& y_pred);
  /// Whether a pointer points to the function with all of its arguments.
  bool (*is_function)(const std::any& pointer);
};

constexpr FunctionEntry function_entries[] = {
    {"accuracy", accuracy, losses::points_to<accuracy>},
    {"binary_accuracy", [](const Tensor& y, const Tensor& p) { return binary_accuracy(y, p); },
     losses::points_to<binary_accuracy>},
    {"categorical_accuracy", categorical_accuracy, losses::points_to<categorical_accuracy>},
    {"sparse_categorical_accuracy", sparse_categorical_accuracy, losses::points_to<sparse_categorical_accuracy>},
    {"top_k_categorical_accuracy", [](const Tensor& y, const Tensor& p) { return top_k_categorical_accuracy(y, p); },
     losses::points_to<top_k_categorical_accuracy>},
    {"sparse_top_k_categorical_accuracy",
     [](const Tensor& y, const Tensor& p) { return sparse_top_k_categorical_accuracy(y, p); },
     losses::points_to<sparse_top_k_categorical_accuracy>},
    {"pearson_correlation", [](const Tensor& y, const Tensor& p) { return pearson_correlation(y, p); },
     losses::points_to<pearson_correlation>},
    {"concordance_correlation", [](const Tensor& y, const Tensor& p) { return concordance_correlation(y, p); },
     losses::points_to<concordance_correlation>},
};

Metric from_config(const Entry& entry, const io::Json& config) {
  return entry.form.from_config(std::string(entry.class_name), config);
}

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
  return entry == nullptr ? Metric() : from_config(*entry, io::Json::object());
}

std::optional<NamedFunction> find_function(const std::any& pointer) {
  for (const FunctionEntry& entry : function_entries) {
    if (entry.is_function(pointer)) return NamedFunction{std::string(entry.name), entry.function, {}};
  }
  const std::optional<losses::NamedFunction> loss = losses::find_function(pointer);
  if (!loss) return {};
  return NamedFunction{loss->name, loss->function, "down"};
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
  if (const Entry* entry = find_entry(class_name)) return from_config(*entry, config);
  if (const Entry* entry = find_wrapped(class_name, config)) return from_config(*entry, config);
  throw TypeError("Could not locate class '" + class_name +
                  "'. Make sure custom classes are registered with `register_metric` before they are loaded. Full "
                  "object config: " +
                  serialized.dump());
}

void register_metric(const std::string& class_name, std::function<Metric(const io::Json& config)> factory,
                     const std::string& package) {
  register_class<Metric>(package, class_name, std::move(factory));
}

std::vector<OptionTable> option_tables() {
  std::vector<OptionTable> tables;
  for (const Entry& entry : entries) tables.push_back(entry.form.options(std::string(entry.class_name)));
  return tables;
}

}  // namespace rhyton::metrics
