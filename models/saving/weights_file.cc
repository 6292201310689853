#include <rhyton/models/saving/weights_file.h>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <rhyton/framework/error.h>
#include <rhyton/models/model_impl.h>
#include <rhyton/optimizers/class_names.h>

namespace rhyton::saving {
namespace {

using layers::Layer;

/// The variables of one object, and their place in the file.
struct Group {
  /// "layers/dense"; empty for the model itself.
  std::string path;
  std::string name;
  /// As Python prints the object.
  std::string description;
  std::vector<Variable> variables;
  bool is_optimizer = false;
};

/// Goes through a model as Keras does, each layer once: the first path counts.
class Walk {
 public:
  explicit Walk(const models::Model& model) {
    visit(model, "");
    if (!model.is_compiled()) return;
    const optimizers::Optimizer& optimizer = model.optimizer();
    groups_.push_back({.path = "optimizer",
                       .name = optimizer.name(),
                       .description = "<" + optimizer.class_name() + " name=" + optimizer.name() + ">",
                       .variables = optimizer.variables(),
                       .is_optimizer = true});
  }

  std::vector<Group> take_groups() { return std::move(groups_); }

 private:
  void visit(const Layer& layer, const std::string& path) {
    if (!visited_.insert(layer.impl().get()).second) return;
    groups_.push_back({.path = path,
                       .name = layer.name(),
                       .description = "<" + layer.class_name() + " name=" + layer.name() +
                                      ", built=" + (layer.is_built() ? "True" : "False") + ">",
                       .variables = layer.impl()->own_weights()});
    const std::string prefix = path.empty() ? "layers/" : path + "/layers/";
    std::map<std::string, int> counts;
    for (const Layer& child : children_of(layer)) {
      const std::string name = snake_case(child.class_name());
      const int count = counts[name]++;
      visit(child, prefix + name + (count == 0 ? "" : "_" + std::to_string(count)));
    }
  }

  static std::vector<Layer> children_of(const Layer& layer) {
    // A Sequential does not list its Input among its layers.
    const auto* const model = dynamic_cast<const models::ModelImpl*>(layer.impl().get());
    return model != nullptr ? model->layers() : layer.impl()->sublayers();
  }

  std::vector<Group> groups_;
  std::set<const layers::LayerImpl*> visited_;
};

std::vector<Group> groups_of(const models::Model& model) { return Walk(model).take_groups(); }

std::string vars_path(const std::string& path) { return path.empty() ? "vars" : path + "/vars"; }

/// The group with the variables of that path; empty where there are none.
std::optional<io::Hdf5Group> find_vars(const io::Hdf5Group& root, std::string path) {
  if (root.has_group(vars_path(path))) return root.open_group(vars_path(path));
  // As the Keras within TensorFlow 2.13 named it.
  const std::string old_name = "_layer_checkpoint_dependencies";
  if (!root.has_group(old_name)) return std::nullopt;
  const std::string new_name = "layers";
  for (std::size_t at = path.find(new_name); at != std::string::npos; at = path.find(new_name, at + old_name.size())) {
    path.replace(at, new_name.size(), old_name);
  }
  if (root.has_group(vars_path(path))) return root.open_group(vars_path(path));
  return std::nullopt;
}

std::string names_of(const std::vector<Variable>& variables) {
  std::string names;
  for (const Variable& variable : variables) names += (names.empty() ? "'" : ", '") + variable.name() + "'";
  return "[" + names + "]";
}

void read_group(const Group& group, const io::Hdf5Group& root) {
  const std::optional<io::Hdf5Group> vars = find_vars(root, group.path);
  const std::size_t count = vars ? vars->dataset_names().size() : 0;
  if (count != group.variables.size()) {
    if (group.is_optimizer) return;
    throw ValueError("Layer '" + group.name + "' expected " + std::to_string(group.variables.size()) +
                     " variables, but received " + std::to_string(count) +
                     " variables during loading. Expected: " + names_of(group.variables));
  }
  for (std::size_t i = 0; i < count; ++i) {
    const Variable& variable = group.variables[i];
    const io::Hdf5Dataset dataset = vars->open_dataset(std::to_string(i));
    // Before the elements are read: what does not fit is not worth its memory.
    const Shape shape = dataset.spec().shape;
    if (shape != variable.shape()) {
      throw ValueError(
          "The shape of the target variable and the shape of the target value in `variable.assign(value)` must match. "
          "variable.shape=" +
          variable.shape().to_string() + ", Received: value.shape=" + shape.to_string() +
          ". Target variable: " + variable.path());
    }
    variable.assign(dataset.read());
  }
}

}  // namespace

void write_weights(const models::Model& model, io::Hdf5Group root) {
  for (const Group& group : groups_of(model)) {
    io::Hdf5Group vars = root.create_group(vars_path(group.path));
    vars.write_string_attribute("name", group.name);
    for (std::size_t i = 0; i < group.variables.size(); ++i) {
      vars.write_dataset(std::to_string(i), group.variables[i].value());
    }
  }
}

void read_weights(const models::Model& model, const io::Hdf5Group& root) {
  std::vector<std::pair<std::string, std::string>> failures;
  for (const Group& group : groups_of(model)) {
    try {
      read_group(group, root);
    } catch (const Error& error) {
      failures.emplace_back(group.description, error.what());
    }
  }
  if (failures.empty()) return;
  std::string list;
  for (const auto& [description, message] : failures) list += (list.empty() ? "" : ", ") + description;
  throw ValueError("A total of " + std::to_string(failures.size()) +
                   " objects could not be loaded. Example error message for object " + failures.front().first +
                   ":\n\n" + failures.front().second + "\n\nList of objects that could not be loaded:\n[" + list + "]");
}

}  // namespace rhyton::saving
