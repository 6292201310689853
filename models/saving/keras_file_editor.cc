#include <rhyton/models/saving/keras_file_editor.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <set>

#include <rhyton/framework/error.h>
#include <rhyton/framework/io/zip/zip.h>
#include <rhyton/framework/python_list.h>
#include <rhyton/models/saving/weights_file.h>

namespace rhyton::saving {
namespace {

constexpr const char* vars = "vars";

bool is_within(const std::string& path, const std::string& object) {
  return path == object || path.starts_with(object + "/");
}

std::string joined(const std::string& path, const std::string& name) { return path.empty() ? name : path + "/" + name; }

std::string last_part(const std::string& path) { return path.substr(path.rfind('/') + 1); }

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? std::string() : path.substr(0, slash);
}

std::vector<std::string> names_of(const KerasFileEditor::Weights& weights) {
  std::vector<std::string> names;
  for (const auto& [name, value] : weights) names.push_back(name);
  return names;
}

std::string plural(int count, const std::string& word) {
  return std::to_string(count) + " " + word + (count == 1 ? "" : "s");
}

/// A line per object and weight of the summary.
struct Node {
  std::string label;
  std::vector<Node> children = {};
};

void print_tree(const std::vector<Node>& nodes, const std::string& prefix, bool& is_first,
                const KerasFileEditor::PrintFunction& print) {
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const bool is_last = i + 1 == nodes.size();
    const std::string connector = is_first ? "> " : is_last ? "└─ " : "├─ ";
    is_first = false;
    print(prefix + connector + nodes[i].label);
    print_tree(nodes[i].children, prefix + (is_last ? "    " : "│   "), is_first, print);
  }
}

}  // namespace

KerasFileEditor::KerasFileEditor(const std::string& filepath, PrintFunction print_fn) : print_(std::move(print_fn)) {
  if (!print_) print_ = [](const std::string& line) { std::cout << line << '\n'; };
  if (filepath.ends_with(".keras")) {
    io::ZipReader zip{std::filesystem::path(filepath)};
    config_ = io::Json::parse(zip.read_text("config.json"), filepath + "/config.json");
    metadata_ = io::Json::parse(zip.read_text("metadata.json"), filepath + "/metadata.json");
    constexpr const char* member = "model.weights.h5";
    const io::Hdf5File file = io::Hdf5File::open_image(zip.read(member), filepath + "/" + member);
    read(file.root(), "");
  } else if (filepath.ends_with(".weights.h5")) {
    const io::Hdf5File file = io::Hdf5File::open_read(std::filesystem::path(filepath));
    read(file.root(), "");
  } else {
    throw ValueError("Invalid filename: expected a `.keras` `.weights.h5` extension. Received: filepath=" + filepath);
  }
  print_("Keras " + std::string(metadata_.is_null() ? "weights" : "model") + " file '" + filepath + "'");
  if (metadata_.is_object()) {
    print_("Saved with Keras " + metadata_.get_or("keras_version", std::string("unknown")) +
           " - date: " + metadata_.get_or("date_saved", std::string("unknown")));
  }
}

void KerasFileEditor::read(const io::Hdf5Group& group, const std::string& path) {
  Object object{.path = path};
  const auto read_weights = [&](const io::Hdf5Group& from) {
    for (const std::string& name : from.dataset_names()) object.weights[name] = from.read_dataset(name);
  };
  read_weights(group);
  if (group.has_group(vars)) {
    const io::Hdf5Group own = group.open_group(vars);
    read_weights(own);
    if (own.has_attribute("name")) object.name = own.read_string_attribute("name");
  }
  if (!object.weights.empty()) objects_.push_back(std::move(object));
  for (const std::string& name : group.group_names()) {
    if (name != vars) read(group.open_group(name), joined(path, name));
  }
}

void KerasFileEditor::summary() const {
  Node root;
  for (const Object& object : objects_) {
    Node* node = &root;
    std::string path;
    for (std::size_t begin = 0; begin < object.path.size();) {
      const std::size_t end = std::min(object.path.find('/', begin), object.path.size());
      const std::string part = object.path.substr(begin, end - begin);
      path = joined(path, part);
      const std::string label = path == object.path && !object.name.empty() ? part + " ('" + object.name + "')" : part;
      auto known = std::find_if(node->children.begin(), node->children.end(), [&](const Node& child) {
        return child.label == label || child.label.starts_with(part + " ('");
      });
      if (known == node->children.end()) known = node->children.insert(known, Node{.label = label});
      node = &*known;
      begin = end + 1;
    }
    for (const auto& [name, value] : object.weights) {
      node->children.push_back(
          {.label = name + ": shape=" + value.shape().to_string() + ", dtype=" + std::string(name_of(value.dtype()))});
    }
  }
  print_("Weights structure");
  bool is_first = true;
  print_tree(root.children, "  ", is_first, print_);
}

KerasFileEditor::Comparison KerasFileEditor::compare(const models::Model& reference_model) const {
  print_("Running comparison");
  std::map<std::string, Weights> expected;
  const WeightsSnapshot snapshot(reference_model);
  for (const SavedGroup& group : snapshot.groups()) {
    const std::string path = folder_of(group.vars_path);
    for (const auto& [name, value] : group.values) expected[path][name] = value;
  }
  std::map<std::string, Weights> found;
  for (const Object& object : objects_) found[object.path] = object.weights;

  Comparison result{.status = "success"};
  const auto report = [&](const std::map<std::string, Weights>& from, const std::map<std::string, Weights>& to,
                          const std::string& from_name, const std::string& to_name) {
    for (const auto& [path, weights] : from) {
      const auto other = to.find(path);
      if (other == to.end()) {
        ++result.error_count;
        print_("...Object /" + path + " present in " + from_name + ", missing from " + to_name);
        print_("    In " + from_name + ", /" + path +
               " contains the following keys: " + python_list(names_of(weights)));
        continue;
      }
      for (const auto& [name, value] : weights) {
        if (other->second.contains(name)) continue;
        ++result.error_count;
        print_("...Weight /" + joined(path, name) + " present in " + from_name + ", missing from " + to_name);
      }
    }
  };
  report(expected, found, "reference model", "saved file");
  for (const auto& [path, weights] : expected) {
    const auto other = found.find(path);
    if (other == found.end()) continue;
    for (const auto& [name, value] : weights) {
      const auto same = other->second.find(name);
      if (same == other->second.end()) continue;
      if (same->second.shape() == value.shape()) {
        ++result.match_count;
        continue;
      }
      ++result.error_count;
      print_("...Weight shape mismatch for /" + joined(path, name));
      print_("    In reference model: shape=" + value.shape().to_string());
      print_("    In saved file: shape=" + same->second.shape().to_string());
    }
  }
  report(found, expected, "saved file", "reference model");
  print_("─────────────────────");
  if (result.error_count == 0) {
    print_("Comparison successful: saved file is compatible with the reference model");
    print_("    Found " + plural(result.match_count, "matching weight"));
  } else {
    result.status = "error";
    print_("Found " + plural(result.error_count, "error") + ": saved file is not compatible with the reference model");
  }
  return result;
}

bool KerasFileEditor::exists(const std::string& path) const {
  return std::any_of(objects_.begin(), objects_.end(),
                     [&](const Object& object) { return is_within(object.path, path); });
}

std::string KerasFileEditor::find(const std::string& object_name) const {
  if (object_name.find('/') != std::string::npos) {
    if (!exists(object_name)) throw ValueError("Path '" + object_name + "' not found in model.");
    return object_name;
  }
  std::set<std::string> named;
  for (const Object& object : objects_) {
    for (std::string path = object.path; !path.empty(); path = folder_of(path)) {
      if (last_part(path) == object_name) named.insert(path);
    }
  }
  if (named.size() > 1) {
    throw ValueError("Name '" + object_name + "' occurs more than once in the model; try passing a complete path");
  }
  if (named.empty()) {
    throw ValueError("Source name '" + object_name +
                     "' does not appear in the model. Use `editor.summary()` to list all objects.");
  }
  return *named.begin();
}

KerasFileEditor::Object& KerasFileEditor::object_at(const std::string& path) {
  const auto known =
      std::find_if(objects_.begin(), objects_.end(), [&](const Object& object) { return object.path == path; });
  return known != objects_.end() ? *known : objects_.emplace_back(Object{.path = path});
}

void KerasFileEditor::rename_object(const std::string& object_name, const std::string& new_name) {
  if (new_name.find('/') != std::string::npos) {
    throw ValueError("Argument `target_name` should be a leaf name, not a full path name. Received: target_name='" +
                     new_name + "'");
  }
  const std::string path = find(object_name);
  const std::string renamed = joined(folder_of(path), new_name);
  if (new_name.empty() || (renamed != path && exists(renamed))) {
    throw ValueError("Cannot rename '" + path + "' to '" + renamed + "'" +
                     (new_name.empty() ? "." : ": there is an object of that path."));
  }
  for (Object& object : objects_) {
    if (is_within(object.path, path)) object.path = renamed + object.path.substr(path.size());
  }
}

void KerasFileEditor::delete_object(const std::string& object_name) {
  const std::string path = find(object_name);
  std::erase_if(objects_, [&](const Object& object) { return is_within(object.path, path); });
}

void KerasFileEditor::add_object(const std::string& object_path, const Weights& weights) {
  const std::string folder = folder_of(object_path);
  if (!folder.empty() && !exists(folder)) throw ValueError("Path '" + folder + "' not found in model.");
  object_at(object_path).weights = weights;
}

void KerasFileEditor::delete_weight(const std::string& object_name, const std::string& weight_name) {
  Object& object = object_at(find(object_name));
  if (object.weights.erase(weight_name) > 0) return;
  throw ValueError("Weight " + weight_name + " not found in object " + object_name +
                   ". Weights found: " + python_list(names_of(object.weights)));
}

void KerasFileEditor::add_weights(const std::string& object_name, const Weights& weights) {
  Object& object = object_at(find(object_name));
  for (const auto& [name, value] : weights) object.weights[name] = value;
}

void KerasFileEditor::save(const std::string& filepath) const {
  if (!filepath.ends_with(".weights.h5")) {
    throw ValueError("Invalid `filepath` argument: expected a `.weights.h5` extension. Received: filepath=" + filepath);
  }
  io::Hdf5File file = io::Hdf5File::create(std::filesystem::path(filepath));
  io::Hdf5Group root = file.root();
  for (const Object& object : objects_) {
    if (object.weights.empty()) continue;
    SavedGroup group{.vars_path = joined(object.path, vars), .name = std::nullopt, .values = {}};
    if (!object.name.empty()) group.name = object.name;
    group.values.assign(object.weights.begin(), object.weights.end());
    group.write(root);
  }
  file.commit();
}

std::vector<std::pair<std::string, Tensor>> KerasFileEditor::weights() const {
  std::vector<std::pair<std::string, Tensor>> all;
  for (const Object& object : objects_) {
    for (const auto& [name, value] : object.weights) all.emplace_back(joined(object.path, name), value);
  }
  return all;
}

}  // namespace rhyton::saving
