#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <rhyton/optimizers/optimizer.h>

namespace rhyton::optimizers {

/// Which optimizer updates a variable, by the variable's path: for MultiOptimizer.
///
///     optimizers::OptimizerMap map(optimizers::AdamW(1e-3));
///     map.set(".*embedding.*", optimizers::SGD(0.1));
///
/// https://keras.io/api/optimizers/
class OptimizerMap {
 public:
  using Entries = std::vector<std::pair<std::string, Optimizer>>;

  /// No map.
  OptimizerMap() = default;
  /// Throws TypeError in Keras's words for an empty default. The keys are as in `set`.
  explicit OptimizerMap(const Optimizer& default_optimizer, const Entries& optimizer_map = {});

  /// The optimizer for a path: that of the key equal to it, or that of the regular expression that matches it as a
  /// whole; the default if there is none. Throws ValueError in Keras's words if several match.
  const Optimizer& operator[](const std::string& path) const;
  /// The same for the path of a variable.
  const Optimizer& operator()(const Variable& variable) const { return (*this)[variable.path()]; }
  /// Adds an optimizer for a path or a regular expression. Throws ValueError in Keras's words for a key that the map
  /// has, an empty optimizer, a LossScaleOptimizer and a MultiOptimizer.
  void set(const std::string& key, const Optimizer& optimizer);
  /// Removes a key. Throws NotFoundError if there is none.
  void erase(const std::string& key);

  const Optimizer& default_optimizer() const { return default_optimizer_; }
  /// Keys with their optimizers, in the order in which they were added.
  const Entries& entries() const { return entries_; }
  std::size_t size() const { return entries_.size(); }
  bool is_empty() const { return default_optimizer_.is_empty(); }

  // Its form in the configuration of a MultiOptimizer.
  static constexpr const char* config_type = "an OptimizerMap";
  static constexpr bool config_is_object = true;
  io::Json to_config() const;
  static OptimizerMap from_config(const io::Json& config);

 private:
  Optimizer default_optimizer_;
  Entries entries_;
};

}  // namespace rhyton::optimizers
