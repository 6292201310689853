#include <rhyton/models/saving/weights_file.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <rhyton/framework/error.h>
#include <rhyton/framework/snake_case.h>
#include <rhyton/framework/warning.h>
#include <rhyton/layers/core/lora_layer.h>
#include <rhyton/models/model_impl.h>
#include <rhyton/models/saving/optimizer_state.h>
#include <rhyton/optimizers/class_names.h>

namespace rhyton::saving {
namespace {

using layers::Layer;

constexpr const char* inner_optimizer = "optimizer/inner_optimizer";

/// The variables of one object, and their path in the file.
struct Group {
  /// "layers/dense"; empty for the model itself.
  std::string path;
  std::string name;
  /// The object as Python prints it.
  std::string description;
  /// With the names of their data sets.
  std::vector<std::pair<std::string, Variable>> variables;
  /// Null for others than layers with LoRA.
  std::shared_ptr<const layers::LoraLayerImpl> lora = nullptr;
  /// The object, if it is a layer.
  Layer layer = {};
  bool is_optimizer = false;
  /// An optimizer that is an attribute of a custom model, not that of `compile`.
  optimizers::Optimizer attribute = {};
  /// Keras writes the variables of a wrapped optimizer, and of the parts of a MultiOptimizer, twice.
  bool is_repeated = false;
};

/// The names of the groups of layers in a file.
struct Naming {
  /// The list of a model's layers.
  std::string layers = "layers";
  /// Whether layers with weights count twice in the numbering of names ("dense_2").
  bool counts_twice = false;
};

std::vector<std::pair<std::string, Variable>> numbered(const std::vector<Variable>& variables) {
  std::vector<std::pair<std::string, Variable>> named;
  for (const Variable& variable : variables) named.emplace_back(std::to_string(named.size()), variable);
  return named;
}

std::shared_ptr<const layers::LoraLayerImpl> lora_of(const Layer& layer) {
  auto lora = std::dynamic_pointer_cast<const layers::LoraLayerImpl>(layer.impl());
  return lora != nullptr && lora->lora_enabled() ? lora : nullptr;
}

/// Visits the layers of a model in Keras's order, each once: its first path is used.
class Walk {
 public:
  Walk(const models::Model& model, Naming naming, const models::ObjectsToSkip& objects_to_skip)
      : naming_(std::move(naming)) {
    for (const auto& object : objects_to_skip) visited_.insert(std::visit(identity, object));
    if (visited_.contains(identity(model))) return;
    visit(model, "");
    if (!model.is_compiled() || visited_.contains(identity(model.optimizer()))) return;
    const optimizers::Optimizer& optimizer = model.optimizer();
    groups_.push_back({.path = "optimizer",
                       .name = optimizer.name(),
                       .description = "<" + optimizer.class_name() + " name=" + optimizer.name() + ">",
                       .variables = numbered(optimizer.variables()),
                       .is_optimizer = true});
    repeat_parts(optimizer, "optimizer");
    const optimizers::Optimizer inner = optimizer.impl()->inner_optimizer();
    if (inner.is_empty() || visited_.contains(identity(inner))) return;
    repeat(inner, inner_optimizer);
    repeat_parts(inner, inner_optimizer);
  }

  std::vector<Group> take_groups() { return std::move(groups_); }

 private:
  static constexpr auto identity = [](const auto& object) -> const void* { return object.impl().get(); };

  void repeat(const optimizers::Optimizer& optimizer, const std::string& path) {
    groups_.push_back({.path = path,
                       .name = optimizer.name(),
                       .description = "<" + optimizer.class_name() + " name=" + optimizer.name() + ">",
                       .variables = numbered(optimizer.variables()),
                       .is_optimizer = true,
                       .is_repeated = true});
  }

  void repeat_parts(const optimizers::Optimizer& optimizer, const std::string& path) {
    std::map<std::string, int> counts;
    for (const optimizers::Optimizer& part : optimizer.impl()->parts()) {
      const std::string name = snake_case(part.class_name());
      const int number = counts[name]++;
      if (visited_.contains(identity(part))) continue;
      repeat(part, path + "/optimizers/" + name + (number == 0 ? "" : "_" + std::to_string(number)));
    }
  }

  void visit(const Layer& layer, const std::string& path) {
    if (!visited_.insert(identity(layer)).second) return;
    groups_.push_back({.path = path,
                       .name = layer.name(),
                       .description = "<" + layer.class_name() + " name=" + layer.name() +
                                      ", built=" + (layer.is_built() ? "True" : "False") + ">",
                       .variables = layer.impl()->saved_variables(),
                       .lora = lora_of(layer),
                       .layer = layer});
    for (const layers::LayerAttribute& attribute : attributes_of(layer)) {
      const std::string& name = attribute.name == "layers" ? naming_.layers : attribute.name;
      const std::string place = path.empty() ? name : path + "/" + name;
      if (attribute.is_list) {
        visit_list(attribute.layers, place);
      } else {
        for (const Layer& child : attribute.layers) visit(child, place);
      }
    }
    if (const auto* const model = dynamic_cast<const models::ModelImpl*>(layer.impl().get())) {
      for (const models::StateAttribute& attribute : model->state_attributes()) visit_state(attribute, path);
    }
  }

  /// An optimizer of a custom model. Metrics keep no state in files.
  void visit_state(const models::StateAttribute& attribute, const std::string& path) {
    const optimizers::Optimizer& optimizer = attribute.optimizer;
    if (optimizer.is_empty() || !visited_.insert(identity(optimizer)).second) return;
    groups_.push_back({.path = path.empty() ? attribute.name : path + "/" + attribute.name,
                       .name = optimizer.name(),
                       .description = "<" + optimizer.class_name() + " name=" + optimizer.name() + ">",
                       .variables = numbered(optimizer.variables()),
                       .is_optimizer = true,
                       .attribute = optimizer});
  }

  void visit_list(const std::vector<Layer>& children, const std::string& path) {
    std::map<std::string, int> counts;
    for (const Layer& child : children) {
      const std::string name = snake_case(child.impl()->source_class_name());
      const int number = counts[name];
      counts[name] += naming_.counts_twice && !child.weights().empty() ? 2 : 1;
      visit(child, path + "/" + name + (number == 0 ? "" : "_" + std::to_string(number)));
    }
  }

  /// In Keras's order: alphabetically, those that begin with an underscore last.
  static std::vector<layers::LayerAttribute> attributes_of(const Layer& layer) {
    std::vector<layers::LayerAttribute> attributes = layer.impl()->attributes();
    std::stable_sort(attributes.begin(), attributes.end(),
                     [](const layers::LayerAttribute& a, const layers::LayerAttribute& b) {
                       return std::pair(a.name.starts_with('_'), a.name) < std::pair(b.name.starts_with('_'), b.name);
                     });
    return attributes;
  }

  Naming naming_;
  std::vector<Group> groups_;
  /// The implementations of the visited layers, and of the objects to be skipped.
  std::set<const void*> visited_;
};

/// Whether layers with weights count twice in the numbering of names, as in TensorFlow 2.12 and 2.13, which listed them
/// twice: then there is a "dense" and a "dense_2", but no "dense_1".
bool counts_twice(const io::Hdf5Group& group) {
  const std::vector<std::string> names = group.group_names();
  const std::set<std::string> present(names.begin(), names.end());
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
    const std::string first = name.substr(0, name.size() - std::min<std::size_t>(name.size(), 2));
    return (name.ends_with("_2") && present.contains(first) && !present.contains(first + "_1")) ||
           counts_twice(group.open_group(name));
  });
}

Naming naming_of(const io::Hdf5Group& root) {
  const std::string old_layers = "_layer_checkpoint_dependencies";
  if (root.has_group("layers") || !root.has_group(old_layers)) return {};
  return {.layers = old_layers, .counts_twice = counts_twice(root.open_group(old_layers))};
}

std::string vars_path(const std::string& path) { return path.empty() ? "vars" : path + "/vars"; }

/// The variables of one object in a file, or in several: its groups there, none if it has no variables.
class StoredVariables {
 public:
  explicit StoredVariables(std::vector<io::Hdf5Group> groups) : groups_(std::move(groups)) {
    for (const io::Hdf5Group& group : groups_) size_ += group.dataset_names().size();
  }

  bool has_group() const { return !groups_.empty(); }
  std::size_t size() const { return size_; }
  bool has_dataset(const std::string& name) const {
    return std::any_of(groups_.begin(), groups_.end(), [&](const auto& group) { return group.has_dataset(name); });
  }
  /// Requires a group. Throws NotFoundError if none has a dataset of that name.
  io::Hdf5Dataset open_dataset(const std::string& name) const {
    const auto last = groups_.end() - 1;
    return std::find_if(groups_.begin(), last, [&](const auto& group) { return group.has_dataset(name); })
        ->open_dataset(name);
  }

 private:
  std::vector<io::Hdf5Group> groups_;
  std::size_t size_ = 0;
};

/// Finds the variables of the object of that path.
using FindVariables = std::function<StoredVariables(const std::string& path)>;

/// The same for a layer. The attributes of a MultiHeadAttention are private in tf.keras: "_query_dense".
StoredVariables find_layer_variables(const FindVariables& find, const std::string& path) {
  StoredVariables variables = find(path);
  if (variables.has_group()) return variables;
  const std::size_t last = path.rfind('/') + 1;  // 0 where there is none
  return find(path.substr(0, last) + "_" + path.substr(last));
}

std::string names_of(const std::vector<std::pair<std::string, Variable>>& variables) {
  constexpr std::size_t maximum = 20;
  std::string names;
  for (std::size_t i = 0; i < std::min(maximum, variables.size()); ++i) {
    names += (i == 0 ? "'" : ", '") + variables[i].second.name() + "'";
  }
  if (variables.size() > maximum) names += ", … and " + std::to_string(variables.size() - maximum) + " more";
  return "[" + names + "]";
}

/// The datasets "0", "1", … of an object.
std::vector<io::Hdf5Dataset> datasets_of(const StoredVariables& stored) {
  std::vector<io::Hdf5Dataset> datasets;
  for (std::size_t i = 0; i < stored.size(); ++i) datasets.push_back(stored.open_dataset(std::to_string(i)));
  return datasets;
}

PendingValues find_layer(const Group& group, const StoredVariables& stored) {
  const std::vector<Variable> lora = group.lora == nullptr ? std::vector<Variable>() : group.lora->lora_weights();
  const bool has_lora = !lora.empty() && stored.has_dataset(lora.front().name());
  if (stored.size() != group.variables.size() + (has_lora ? lora.size() : 0)) {
    throw ValueError("Layer '" + group.name + "' expected " + std::to_string(group.variables.size()) +
                     " variables, but received " + std::to_string(stored.size()) +
                     " variables during loading. Expected: " + names_of(group.variables));
  }
  PendingValues values;
  std::vector<std::pair<std::string, Variable>> variables = group.variables;
  for (const Variable& variable : lora) {
    if (has_lora) {
      variables.emplace_back(variable.name(), variable);
    } else {
      values.add(variable, Tensor::zeros(variable.shape(), variable.dtype()));
    }
  }
  for (const auto& [name, variable] : variables) {
    io::Hdf5Dataset dataset = stored.open_dataset(name);
    const Shape shape = dataset.spec().shape;
    if (shape != variable.shape()) {
      throw ValueError(
          "The shape of the target variable and the shape of the target value in `variable.assign(value)` must match. "
          "variable.shape=" +
          variable.shape().to_string() + ", Received: value.shape=" + shape.to_string() +
          ". Target variable: " + variable.path());
    }
    values.add(variable, std::move(dataset));
  }
  return values;
}

PendingValues find_optimizer(const optimizers::Optimizer& optimizer, const std::vector<io::Hdf5Dataset>& datasets) {
  if (std::optional<PendingValues> values = find_state(optimizer, datasets)) return *std::move(values);
  const std::size_t count = optimizer.variables().size();
  const bool same_number = count == datasets.size();
  warn("Skipping variable loading for optimizer '" + optimizer.name() + "', because " +
       (same_number ? "the shapes of its variables are not those of the saved optimizer's."
                    : "it has " + std::to_string(count) + " variables whereas the saved optimizer has " +
                          std::to_string(datasets.size()) + " variables."));
  return {};
}

std::string failure_text(const std::vector<std::pair<std::string, std::string>>& failures) {
  constexpr std::size_t maximum = 20;
  std::string list;
  for (std::size_t i = 0; i < std::min(maximum, failures.size()); ++i) list += (i == 0 ? "" : ", ") + failures[i].first;
  if (failures.size() > maximum) list += ", … and " + std::to_string(failures.size() - maximum) + " more";
  return "A total of " + std::to_string(failures.size()) +
         " objects could not be loaded. Example error message for object " + failures.front().first + ":\n\n" +
         failures.front().second + "\n\nList of objects that could not be loaded:\n[" + list + "]";
}

/// Finds the values of all groups of a walk over the model.
PendingValues find_groups(const models::Model& model, const std::vector<Group>& groups, const FindVariables& find,
                          bool skip_mismatch) {
  std::vector<std::pair<std::string, std::string>> failures;
  PendingValues values;
  for (const Group& group : groups) {
    if (group.is_repeated) continue;
    StoredVariables stored = group.is_optimizer ? find(group.path) : find_layer_variables(find, group.path);
    const bool is_attribute = !group.attribute.is_empty();
    // The saved model scaled its loss and this one does not.
    const bool is_unwrapped =
        group.is_optimizer && !is_attribute && model.optimizer().impl()->inner_optimizer().is_empty();
    if (is_unwrapped) {
      StoredVariables inner = find(inner_optimizer);
      if (inner.has_group()) stored = std::move(inner);
    }
    if (!stored.has_group() && group.is_optimizer) continue;  // it was not compiled, or the file has weights only
    try {
      values.add(group.is_optimizer
                     ? find_optimizer(is_attribute ? group.attribute : model.optimizer(), datasets_of(stored))
                     : find_layer(group, stored));
    } catch (const IOError&) {
      throw;
    } catch (const Error& error) {
      failures.emplace_back(group.description, error.what());
    }
  }
  if (!failures.empty() && !skip_mismatch) throw ValueError(failure_text(failures));
  if (!failures.empty()) warn(failure_text(failures));
  return values;
}

}  // namespace

std::vector<std::pair<std::string, Layer>> layers_by_path(const models::Model& model) {
  std::vector<std::pair<std::string, Layer>> found;
  for (const Group& group : Walk(model, {}, {}).take_groups()) {
    if (!group.layer.is_empty()) found.emplace_back(group.path, group.layer);
  }
  return found;
}

WeightsSnapshot::WeightsSnapshot(const models::Model& model, const models::ObjectsToSkip& objects_to_skip,
                                 LoraInFiles lora) {
  for (const Group& group : Walk(model, {}, objects_to_skip).take_groups()) {
    SavedGroup saved{.vars_path = vars_path(group.path), .name = group.name, .values = {}};
    for (const auto& [name, variable] : group.variables) {
      const bool is_merged = group.lora != nullptr && lora == LoraInFiles::merged;
      saved.values.emplace_back(name, is_merged ? group.lora->saved_value(variable) : variable.stored_value());
    }
    if (group.lora != nullptr && lora == LoraInFiles::separate) {
      for (const Variable& variable : group.lora->lora_weights()) {
        saved.values.emplace_back(variable.name(), variable.stored_value());
      }
    }
    groups_.push_back(std::move(saved));
  }
}

void WeightsSnapshot::write(io::Hdf5Group root) const {
  for (const SavedGroup& group : groups_) group.write(root);
}

PendingValues find_weights(const models::Model& model, const io::Hdf5Group& root, bool skip_mismatch,
                           const models::ObjectsToSkip& objects_to_skip) {
  const auto find = [&](const std::string& path) {
    std::vector<io::Hdf5Group> groups;
    if (root.has_group(vars_path(path))) groups.push_back(root.open_group(vars_path(path)));
    return StoredVariables(std::move(groups));
  };
  return find_groups(model, Walk(model, naming_of(root), objects_to_skip).take_groups(), find, skip_mismatch);
}

PendingValues find_weights(const models::Model& model, ShardedWeights& shards, bool skip_mismatch,
                           const models::ObjectsToSkip& objects_to_skip) {
  const auto find = [&](const std::string& path) { return StoredVariables(shards.open_groups(vars_path(path))); };
  return find_groups(model, Walk(model, {}, objects_to_skip).take_groups(), find, skip_mismatch);
}

}  // namespace rhyton::saving
