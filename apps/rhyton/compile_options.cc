#include <rhyton/apps/rhyton/compile_options.h>

#include <algorithm>

#include <rhyton/apps/rhyton/messages.h>
#include <rhyton/apps/rhyton/model_files.h>

namespace rhyton::tool {
namespace {

using saving::UnknownClass;

/// The result of `make`; if it throws, the value of `option` is reported as wrong.
template <class Make>
auto value_of(const std::string& option, Make make) {
  try {
    return make();
  } catch (const Error& error) {
    throw CLI::ValidationError(option, one_line(error.what()));
  }
}

bool is_replaced(const UnknownClass& unknown, const Overrides& overrides, bool needs_optimizer) {
  if (!unknown.is_of_compile) return false;
  if (unknown.kind == "loss") return overrides.loss.has_value();
  if (unknown.kind == "metric") return !overrides.metrics.empty();
  return overrides.optimizer.has_value() || !needs_optimizer;
}

/// The options that would replace these classes.
std::string advice_for(const std::vector<UnknownClass>& unknown, const Overrides& overrides, bool needs_optimizer) {
  std::vector<std::string> options;
  for (const UnknownClass& one : unknown) {
    if (is_replaced(one, overrides, needs_optimizer)) continue;
    const std::string option = one.kind == "loss" ? "--loss" : one.kind == "metric" ? "--metrics" : "--optimizer";
    if (std::find(options.begin(), options.end(), option) == options.end()) options.push_back(option);
  }
  std::string text;
  for (const std::string& option : options) text += (text.empty() ? "" : " and ") + option;
  return " Give " + text + " to use others";
}

/// A placeholder for a class that is replaced before it is used.
saving::CustomObject placeholder_for(const UnknownClass& unknown) {
  if (unknown.kind == "optimizer") return [](const io::Json&) { return optimizers::SGD(); };
  if (unknown.kind == "schedule") {
    return [](const io::Json&) { return optimizers::schedules::ExponentialDecay(1.0, 1.0, 1.0); };
  }
  return [](const Tensor& y_true, const Tensor& y_pred) { return mean(square(y_true - y_pred), {-1}); };
}

/// During its lifetime, suppresses warnings about optimizers: the state of a placeholder is irrelevant.
class SilenceOnOptimizers {
 public:
  SilenceOnOptimizers() : previous_(config::set_warning_handler({})) {
    config::set_warning_handler([previous = previous_](const std::string& message) {
      if (message.find("optimizer") == std::string::npos && previous) previous(message);
    });
  }
  ~SilenceOnOptimizers() { config::set_warning_handler(previous_); }
  SilenceOnOptimizers(const SilenceOnOptimizers&) = delete;
  SilenceOnOptimizers& operator=(const SilenceOnOptimizers&) = delete;

 private:
  config::WarningHandler previous_;
};

/// The model, with placeholders for replaced unknown classes, and whether its weighted metrics contain a placeholder.
struct Loaded {
  models::Model model;
  bool has_strange_weighted_metrics = false;
};

/// Placeholders for all optimizers that the tool knows: the arguments and the state of the one in the file are not
/// read.
models::LoadModelOptions without_optimizer() {
  models::LoadModelOptions options;
  for_each_class(optimizers::BuiltinOptimizers(), [&]<class Handle>() {
    options.custom_objects.insert_or_assign(Handle::keras_name, [](const io::Json&) { return optimizers::SGD(); });
  });
  return options;
}

Loaded load_with_placeholders(const std::string& path, const saving::UnknownClassesError& error,
                              const Overrides& overrides, bool needs_optimizer, models::LoadModelOptions options) {
  const std::vector<UnknownClass>& unknown = error.unknown();
  if (!std::all_of(unknown.begin(), unknown.end(),
                   [&](const UnknownClass& one) { return is_replaced(one, overrides, needs_optimizer); })) {
    const std::string advice =
        error.is_of_compile_alone() ? advice_for(unknown, overrides, needs_optimizer) : std::string();
    throw Error(complaint_of(path, error) + advice);
  }
  bool has_strange_weighted_metrics = false;
  for (const UnknownClass& one : unknown) {
    options.custom_objects.insert_or_assign(one.name, placeholder_for(one));
    has_strange_weighted_metrics = has_strange_weighted_metrics || one.argument == "weighted_metrics";
  }
  return {naming_file(path, [&] { return models::load_model(path, options); }), has_strange_weighted_metrics};
}

Loaded load(const std::string& path, const Overrides& overrides, bool needs_optimizer) {
  models::LoadModelOptions options;
  std::optional<SilenceOnOptimizers> silence;
  if (!needs_optimizer || overrides.optimizer) {
    options = without_optimizer();
    silence.emplace();
  }
  try {
    return {naming_file(path, [&] { return models::load_model(path, options); })};
  } catch (const saving::UnknownClassesError& error) {
    return load_with_placeholders(path, error, overrides, needs_optimizer, options);
  }
}

}  // namespace

void add_compile_options(CLI::App& command, CompileArguments& arguments, bool with_optimizer) {
  if (with_optimizer) {
    command.add_option("--optimizer", arguments.optimizer, "A new optimizer: adam, sgd, ...");
  }
  command.add_option("--loss", arguments.loss, "The loss: mse, sparse_categorical_crossentropy, ...");
  command.add_option("--metrics", arguments.metrics, "The metrics: accuracy,mae,...")
      ->delimiter(',')
      ->allow_extra_args(false);
}

Overrides overrides_of(const CompileArguments& arguments) {
  Overrides overrides;
  if (!arguments.optimizer.empty()) {
    overrides.optimizer = value_of("--optimizer", [&] { return optimizers::Optimizer(arguments.optimizer); });
  }
  if (!arguments.loss.empty()) overrides.loss = value_of("--loss", [&] { return losses::Loss(arguments.loss); });
  for (const std::string& name : arguments.metrics) {
    const metrics::MetricArgument metric(name);
    const TensorSpec any_output{.shape = {1, 1}};
    value_of("--metrics", [&] { return metric.resolve(any_output, any_output); });  // throws for unknown names
    overrides.metrics.push_back(metric);
  }
  return overrides;
}

models::Model load_to_train(const std::string& path, const Overrides& overrides, bool needs_optimizer) {
  const auto [model, has_strange_weighted_metrics] = load(path, overrides, needs_optimizer);
  if (!model.is_compiled() && !overrides.loss) return model;
  if (overrides.optimizer || overrides.loss || !overrides.metrics.empty()) {
    models::CompileOptions compile = model.is_compiled() ? model.compile_options() : models::CompileOptions();
    if (overrides.optimizer) compile.optimizer = *overrides.optimizer;
    if (overrides.loss) compile.loss = *overrides.loss;
    if (!overrides.metrics.empty()) compile.metrics = overrides.metrics;
    if (has_strange_weighted_metrics) compile.weighted_metrics = models::MetricsArgument();
    const models::Model compiled = model;
    naming_file(path, [&] { compiled.compile(compile); });
  }
  return model;
}

}  // namespace rhyton::tool
