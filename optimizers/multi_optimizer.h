#pragma once

#include <optional>
#include <string>
#include <vector>

#include <rhyton/optimizers/optimizer.h>
#include <rhyton/optimizers/optimizer_map.h>

namespace rhyton::optimizers {

/// The options of MultiOptimizer, in Keras's order.
struct MultiOptimizerOptions {
  ByName by_name = ByName();
  /// That of all its optimizers, whose own are replaced.
  std::optional<double> loss_scale_factor = std::nullopt;
  /// Made unique from the class name ("multi_optimizer") if empty.
  std::string name = {};
};

/// All arguments of MultiOptimizer.
struct MultiOptimizerArguments : MultiOptimizerOptions {
  OptimizerMap optimizer_map = {};

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields.required("optimizer_map", self.optimizer_map);
    fields("loss_scale_factor", self.loss_scale_factor);
    fields("name", self.name);
  }
};

/// Several optimizers, each for the variables that a map gives it. Each has the arguments, slots and count of steps that
/// it has alone; norms of gradients (`global_clipnorm`) are of its variables. Its learning rates are those of its
/// optimizers: reading or setting one of its own throws RuntimeError in Keras's words.
///
///     optimizers::OptimizerMap map(optimizers::AdamW(1e-3));
///     map.set(".*bias", optimizers::SGD(0.1));
///     model.compile({.optimizer = optimizers::MultiOptimizer(map), .loss = "mse"});
///
/// https://keras.io/api/optimizers/
class MultiOptimizer : public Optimizer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "MultiOptimizer";
  using Arguments = MultiOptimizerArguments;

  /// Throws ValueError for an empty map, and in Keras's words for a default that is a LossScaleOptimizer or a
  /// MultiOptimizer.
  explicit MultiOptimizer(const OptimizerMap& optimizer_map, const MultiOptimizerOptions& options = {});

  /// The optimizers of the map in its order, then the default.
  std::vector<Optimizer> optimizers() const { return impl_->parts(); }

  /// Creates it from a saved `config`. Throws ValueError for unknown arguments.
  static MultiOptimizer from_config(const io::Json& config);
};

}  // namespace rhyton::optimizers
