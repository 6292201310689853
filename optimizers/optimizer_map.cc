#include <rhyton/optimizers/optimizer_map.h>

#include <algorithm>

#include <rhyton/framework/error.h>
#include <rhyton/framework/regular_expression.h>

namespace rhyton::optimizers {
namespace {

/// As Python prints an optimizer.
std::string printed(const Optimizer& optimizer) {
  return optimizer.is_empty() ? "None" : "<" + optimizer.class_name() + " name=" + optimizer.name() + ">";
}

}  // namespace

OptimizerMap::OptimizerMap(const Optimizer& default_optimizer, const Entries& optimizer_map)
    : default_optimizer_(default_optimizer) {
  if (default_optimizer.is_empty()) {
    throw TypeError("default_optimizer must be a Keras Optimizer instance. Received: None");
  }
  for (const auto& [key, optimizer] : optimizer_map) set(key, optimizer);
}

const Optimizer& OptimizerMap::operator[](const std::string& path) const {
  const Optimizer* found = nullptr;
  for (const auto& [key, optimizer] : entries_) {
    if (key == path) return optimizer;
  }
  for (const auto& [key, optimizer] : entries_) {
    if (!RegularExpression(key).matches(path)) continue;
    if (found != nullptr) throw ValueError("Multiple optimizers assigned to variable " + path + ".");
    found = &optimizer;
  }
  return found == nullptr ? default_optimizer_ : *found;
}

void OptimizerMap::set(const std::string& key, const Optimizer& optimizer) {
  for (const auto& [present, its_optimizer] : entries_) {
    if (present != key) continue;
    throw ValueError("'" + key + "' already exists in the OptimizerMap with value " + printed(its_optimizer) +
                     ". Please make sure to not use duplicated keys.");
  }
  if (optimizer.is_empty()) throw ValueError("optimizer must be a Keras Optimizer instance. Received: None");
  if (!optimizer.impl()->inner_optimizer().is_empty()) throw ValueError("optimizer cannot be LossScaleOptimizer.");
  if (optimizer.impl()->class_name() == "MultiOptimizer") throw ValueError("optimizer cannot be MultiOptimizer.");
  entries_.emplace_back(key, optimizer);
}

void OptimizerMap::erase(const std::string& key) {
  const auto found =
      std::find_if(entries_.begin(), entries_.end(), [&](const auto& entry) { return entry.first == key; });
  if (found == entries_.end()) throw NotFoundError("'" + key + "'");
  entries_.erase(found);
}

io::Json OptimizerMap::to_config() const {
  io::Json optimizer_map = io::Json::object();
  for (const auto& [key, optimizer] : entries_) optimizer_map[key.c_str()] = serialize(optimizer);
  return io::Json::object({{"module", "keras.optimizers"},
                           {"class_name", "OptimizerMap"},
                           {"config", io::Json::object({{"default_optimizer", serialize(default_optimizer_)},
                                                        {"optimizer_map", optimizer_map}})},
                           {"registered_name", nullptr}});
}

OptimizerMap OptimizerMap::from_config(const io::Json& config) {
  const io::Json& arguments = config["config"];
  OptimizerMap result(deserialize(arguments["default_optimizer"]));
  for (const auto& [key, optimizer] : arguments["optimizer_map"].items()) result.set(key, deserialize(optimizer));
  return result;
}

}  // namespace rhyton::optimizers
