#include <rhyton/models/saving/unknown_classes.h>

#include <algorithm>
#include <array>
#include <functional>
#include <string_view>
#include <utility>

#include <rhyton/framework/serialization/custom_objects.h>
#include <rhyton/framework/serialization/keras_names.h>
#include <rhyton/layers/foreign_layers.h>
#include <rhyton/layers/layer.h>
#include <rhyton/layers/layer_activation.h>
#include <rhyton/layers/operations/serialization.h>
#include <rhyton/layers/operations/tensorflow/functions.h>
#include <rhyton/layers/serialization.h>
#include <rhyton/models/losses/function_loss.h>
#include <rhyton/models/metrics/named_metrics.h>
#include <rhyton/optimizers/class_names.h>

namespace rhyton::saving {
namespace {

using io::Json;

std::string text_of(const Json& object, const char* key) {
  const Json* const member = object.find(key);
  return member != nullptr && member->is_string() ? member->as_string() : std::string();
}

const Json* member_of(const Json& object, const char* key) {
  const Json* const member = object.is_object() ? object.find(key) : nullptr;
  return member == nullptr || member->is_null() ? nullptr : member;
}

/// A class or function named in a configuration, by a string or by an object.
struct Named {
  std::string name;
  std::string registered_name;
  std::string module;

  bool is_of_keras(std::string_view kind) const {
    if (name.find('>') != std::string::npos || registered_name.find('>') != std::string::npos) return false;
    // The module of all functions is "builtins"; legacy files have no modules, and custom classes may have none.
    if (!module.empty() && module != "builtins") return module == "keras" || module.starts_with("keras.");
    if (!registered_name.empty()) return false;
    return is_keras_name(kind, name);
  }
};

/// The function in a wrapper, {"fn": name or object}, which Keras 2 wrote for each function.
const Json* wrapped_function(const Json& object) {
  constexpr std::array<std::string_view, 3> wrappers = {"LossFunctionWrapper", "MeanMetricWrapper",
                                                        "SumOverBatchSizeMetricWrapper"};
  const std::string class_name = text_of(object, "class_name");
  if (std::find(wrappers.begin(), wrappers.end(), class_name) == wrappers.end()) return nullptr;
  const Json* const config = member_of(object, "config");
  return config == nullptr ? nullptr : member_of(*config, "fn");
}

/// An empty name where the value names nothing.
Named read_name(const Json& value) {
  if (value.is_string()) return {value.as_string(), {}, {}};
  if (!value.is_object()) return {};
  if (const Json* const function = wrapped_function(value)) return read_name(*function);
  Named named{text_of(value, "class_name"), text_of(value, "registered_name"), text_of(value, "module")};
  if (named.name == "function") {
    named.name = text_of(value, "config");
    if (named.registered_name == "function") named.registered_name.clear();
  }
  return named;
}

class Search {
 public:
  void visit_model(const Json& object) { visit_layer(object, "model"); }

  void visit_compile(const Json& config) {
    if (!config.is_object()) return;
    is_of_compile_ = true;
    if (const Json* const optimizer = member_of(config, "optimizer")) visit_optimizer(*optimizer);
    if (const Json* const loss = member_of(config, "loss")) {
      visit_tree(*loss, "loss", "loss", losses::is_known_loss);
    }
    for (const char* const argument : {"metrics", "weighted_metrics"}) {
      const Json* const metrics = member_of(config, argument);
      if (metrics != nullptr) visit_tree(*metrics, "metric", argument, metrics::is_known_metric);
    }
  }

  std::vector<UnknownClass> take() { return std::move(unknown_); }
  /// The error of the first operation that cannot be created, and the names of the others.
  std::string operations_complaint() const {
    std::string others;
    bool is_first = true;
    for (const UnknownClass& one : unknown_) {
      if (one.kind != "operation" || std::exchange(is_first, false)) continue;
      others += (others.empty() ? " Others: '" : ", '") + one.name + "' of '" + one.layer + "'";
    }
    return operation_complaint_ + others;
  }
  /// The first `Lambda` layer if all unknown objects are such layers; else null.
  const Json* only_lambda() const { return is_lambda_alone_ ? lambda_ : nullptr; }

 private:
  using IsKnown = bool (*)(const std::string& registered_name, const std::string& name);

  void add(const std::string& kind, const Named& named, const std::string& layer, const std::string& argument) {
    is_lambda_alone_ = false;
    unknown_.push_back({.kind = kind,
                        .name = named.name,
                        .layer = layer,
                        .argument = argument,
                        .is_of_keras = named.is_of_keras(kind),
                        .is_of_compile = is_of_compile_});
  }

  /// The layers in a model or a wrapper.
  void visit_layers(const Json& config) {
    for (const char* const key : {"layer", "backward_layer", "cell"}) {
      if (const Json* const wrapped = member_of(config, key)) visit_layer(*wrapped, "layer");
    }
    const Json* const layers = member_of(config, "layers");
    if (layers == nullptr || !layers->is_array()) return;
    for (const Json& layer : *layers) visit_layer(layer, "layer");
  }

  void visit_layer(const Json& object, const char* kind) {
    const Named named = read_name(object);
    const Json* const config = member_of(object, "config");
    if (named.name.empty() || config == nullptr || !config->is_object()) return;
    std::string name = text_of(*config, "name");
    if (name.empty()) name = text_of(object, "name");
    if (layers::is_tensorflow_function(object)) return visit_function(object, name);
    if (is_unknown_operation(object)) return add("operation", named, name, {});
    const bool is_custom = static_cast<bool>(find_class<layers::Layer>(named.registered_name, named.name));
    // A custom class reads its arguments itself.
    if (is_custom) return;
    if (!is_operation(object) && !layers::is_known_layer(named.registered_name, named.name)) {
      const bool is_lambda = named.name == "Lambda" && (unknown_.empty() || is_lambda_alone_);
      add(kind, named, name, {});
      is_lambda_alone_ = is_lambda;
      if (lambda_ == nullptr) lambda_ = &object;
      return visit_layers(*config);
    }
    visit_layers(*config);
    for (const auto& [key, value] : config->items()) visit_argument(key, value, name);
  }

  static bool is_operation(const Json& object) {
    const Json* const nodes = member_of(object, "inbound_nodes");
    return nodes != nullptr && nodes->is_array() && layers::is_operation(object);
  }

  bool is_unknown_operation(const Json& object) {
    return is_operation(object) && is_refused([&] { static_cast<void>(layers::deserialize_operation(object)); });
  }

  void visit_function(const Json& object, const std::string& layer) {
    if (is_refused([&] { layers::require_tensorflow_function(object); })) {
      add("operation", {"tf." + text_of(object["config"], "function"), {}, {}}, layer, {});
    }
  }

  /// Whether that operation is one that Rhyton lacks. The first error is kept.
  template <class Create>
  bool is_refused(Create create) {
    try {
      create();
      return false;
    } catch (const NotImplementedError& error) {
      if (operation_complaint_.empty()) operation_complaint_ = error.what();
      return true;
    } catch (const Error&) {
      return false;
    }
  }

  void visit_argument(const std::string& key, const Json& value, const std::string& layer) {
    const Named named = read_name(value);
    if (named.name.empty()) return;
    if (key == "activation" || key.ends_with("_activation")) {
      const bool is_known = layers::is_known_activation(named.name) || layers::describes_known_layer(value);
      if (!is_known) add("activation", named, layer, key);
    } else if (key.ends_with("_initializer")) {
      if (!layers::is_known_initializer(named.registered_name, named.name)) add("initializer", named, layer, key);
    } else if (key.ends_with("_regularizer")) {
      if (!layers::is_known_regularizer(named.registered_name, named.name)) add("regularizer", named, layer, key);
    } else if (key.ends_with("_constraint")) {
      if (!layers::is_known_constraint(named.registered_name, named.name)) add("constraint", named, layer, key);
    }
  }

  void visit_optimizer(const Json& optimizer) {
    const Named named = read_name(optimizer);
    if (named.name.empty()) return;
    if (!optimizers::is_known_optimizer(named.registered_name, named.name)) {
      return add("optimizer", named, {}, "optimizer");
    }
    const Json* const config = member_of(optimizer, "config");
    if (config == nullptr || !config->is_object()) return;
    if (const Json* const rate = member_of(*config, "learning_rate"); rate != nullptr && rate->is_object()) {
      const Named schedule = read_name(*rate);
      if (!schedule.name.empty() &&
          !optimizers::schedules::is_known_schedule(schedule.registered_name, schedule.name)) {
        add("schedule", schedule, {}, "learning_rate");
      }
    }
    if (const Json* const inner = member_of(*config, "inner_optimizer")) visit_optimizer(*inner);
    const Json* const map = member_of(*config, "optimizer_map");
    const Json* const entries = map == nullptr ? nullptr : member_of(*map, "config");
    if (entries == nullptr) return;
    if (const Json* const rest = member_of(*entries, "default_optimizer")) visit_optimizer(*rest);
    const Json* const parts = member_of(*entries, "optimizer_map");
    if (parts == nullptr || !parts->is_object()) return;
    for (const auto& [key, part] : parts->items()) visit_optimizer(part);
  }

  /// Losses or metrics: one, a list, or a map from outputs, nested to any depth.
  void visit_tree(const Json& tree, const std::string& kind, const std::string& argument, IsKnown is_known) {
    if (tree.is_array()) {
      for (const Json& entry : tree) visit_tree(entry, kind, argument, is_known);
    } else if (tree.is_object() && !tree.contains("class_name")) {
      for (const auto& [output, entry] : tree.items()) visit_tree(entry, kind, argument, is_known);
    } else if (const Named named = read_name(tree); !named.name.empty()) {
      if (!is_known(named.registered_name, named.name)) add(kind, named, {}, argument);
    }
  }

  std::vector<UnknownClass> unknown_;
  std::string operation_complaint_;
  const Json* lambda_ = nullptr;
  bool is_lambda_alone_ = false;
  bool is_of_compile_ = false;
};

constexpr const char* unnamed = "a layer without a name";

/// One class, and where it is needed.
struct Entry {
  const UnknownClass* unknown = nullptr;
  std::vector<std::string> layers;
  std::vector<std::string> arguments;
};

/// The classes for which the predicate holds.
template <class Predicate>
std::vector<Entry> grouped(const std::vector<UnknownClass>& unknown, Predicate is_listed) {
  std::vector<Entry> entries;
  for (const UnknownClass& one : unknown) {
    if (!is_listed(one)) continue;
    auto entry = std::find_if(entries.begin(), entries.end(), [&](const Entry& e) {
      return e.unknown->kind == one.kind && e.unknown->name == one.name;
    });
    if (entry == entries.end()) entry = entries.insert(entries.end(), Entry{&one, {}, {}});
    const std::string layer = one.layer.empty() ? unnamed : "'" + one.layer + "'";
    if (one.is_of_compile) {
      entry->arguments.push_back("`" + one.argument + "` of `compile`");
    } else if (!one.argument.empty()) {
      entry->arguments.push_back("`" + one.argument + "` of " + (one.layer.empty() ? "" : "layer ") + layer);
    } else {
      entry->layers.push_back(layer);
    }
  }
  return entries;
}

/// The first few of these, and the number of the others.
std::string listed(std::vector<std::string> places) {
  constexpr std::size_t shown = 5;
  places.erase(std::unique(places.begin(), places.end()), places.end());
  std::string text;
  for (std::size_t i = 0; i < std::min(shown, places.size()); ++i) text += (i == 0 ? "" : ", ") + places[i];
  return places.size() <= shown ? text : text + " and " + std::to_string(places.size() - shown) + " more";
}

/// "layer " or "layers " before names of layers.
std::string prefix_of(const std::string& kind, const std::vector<std::string>& layers) {
  if (kind != "layer" || layers.front() == unnamed) return {};
  return layers.size() > 1 ? "layers " : "layer ";
}

/// The layers and arguments that need it.
std::string places_of(const Entry& entry) {
  std::string text;
  if (!entry.layers.empty()) {
    text += prefix_of(entry.unknown->kind, entry.layers) + listed(entry.layers);
    if (!entry.arguments.empty()) text += "; ";
  }
  return text + listed(entry.arguments);
}

std::string text_of(const Entry& entry) {
  return entry.unknown->kind + " '" + entry.unknown->name + "' (" + places_of(entry) + ")";
}

std::string joined(const std::vector<Entry>& entries) {
  std::string text;
  for (const Entry& entry : entries) text += (text.empty() ? "" : ", ") + text_of(entry);
  return text;
}

std::string advice(const std::vector<UnknownClass>& unknown) {
  const auto is_of_compile = [](const UnknownClass& one) { return one.is_of_compile; };
  const bool has_foreign = std::any_of(unknown.begin(), unknown.end(), std::mem_fn(&UnknownClass::is_foreign));
  std::string text = std::string("Register ") + (has_foreign ? "the others" : "them") +
                     " with `saving::register_keras_serializable`, or give them in `custom_objects`, before the model "
                     "is loaded.";
  if (std::all_of(unknown.begin(), unknown.end(), is_of_compile)) {
    return text + " Or load the model with `compile = false`: it then predicts, and can be compiled again.";
  }
  if (std::any_of(unknown.begin(), unknown.end(), is_of_compile)) {
    text += " With `compile = false` those that only `compile` was given are not needed.";
  }
  return text;
}

/// Throws the error of the reader of `Lambda`, which says more than that the class is unknown.
[[noreturn]] void throw_lambda(const Json& lambda, const std::vector<UnknownClass>& unknown) {
  const DeserializationScope* const scope = DeserializationScope::innermost();
  const bool safe_mode = scope == nullptr || scope->safe_mode();
  try {
    layers::deserialize(lambda);
  } catch (const NotImplementedError& error) {
    if (safe_mode) throw UnknownClassesError(error.what(), unknown);
    throw;
  } catch (const ValueError& error) {
    throw UnknownClassesError(error.what(), unknown);
  }
  throw UnknownClassesError(described(unknown), unknown);
}

}  // namespace

bool UnknownClass::is_foreign() const {
  return kind == "layer" && is_of_keras && !layers::foreign_code_of(name).empty();
}

std::string described(const std::vector<UnknownClass>& unknown) {
  std::string text;
  const auto add = [&](const std::string& sentence) { text += (text.empty() ? "" : " ") + sentence; };
  for (const Entry& entry : grouped(unknown, std::mem_fn(&UnknownClass::is_foreign))) {
    add(layers::foreign_layers_text(entry.unknown->name, places_of(entry)));
  }
  const auto is_missing = [](const UnknownClass& one) { return one.is_of_keras && !one.is_foreign(); };
  const std::vector<Entry> missing = grouped(unknown, is_missing);
  if (!missing.empty()) add("Rhyton has no " + joined(missing) + ", which Keras has.");
  const std::vector<Entry> custom = grouped(unknown, [](const UnknownClass& one) { return !one.is_of_keras; });
  if (!custom.empty()) add("Could not locate the custom " + joined(custom) + ".");
  return text;
}

bool UnknownClassesError::is_of_compile_alone() const {
  return std::all_of(unknown_.begin(), unknown_.end(), [](const UnknownClass& one) { return one.is_of_compile; });
}

void require_known_classes(const Json& model, const Json& compile_config) {
  Search search;
  search.visit_model(model);
  search.visit_compile(compile_config);
  const Json* const lambda = search.only_lambda();
  const std::string operations_complaint = search.operations_complaint();
  const std::vector<UnknownClass> unknown = search.take();
  if (unknown.empty()) return;
  const auto is_operation = [](const UnknownClass& one) { return one.kind == "operation"; };
  if (std::all_of(unknown.begin(), unknown.end(), is_operation)) throw NotImplementedError(operations_complaint);
  if (std::all_of(unknown.begin(), unknown.end(), std::mem_fn(&UnknownClass::is_foreign))) {
    throw NotImplementedError(described(unknown));
  }
  if (lambda != nullptr) throw_lambda(*lambda, unknown);
  throw UnknownClassesError(described(unknown) + " " + advice(unknown), unknown);
}

}  // namespace rhyton::saving
