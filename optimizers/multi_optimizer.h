#pragma once

#include <functional>
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

/// Gives the optimizer of a variable, which `Variable::path` names.
using OptimizerSelector = std::function<Optimizer(const Variable& variable)>;

/// Several optimizers, each for the variables that a map or a function gives it. Each has the arguments, slots and
/// count of steps that it has alone; norms of gradients (`global_clipnorm`) are of its variables. Its learning rates
/// are those of its optimizers: reading or setting one of its own throws RuntimeError in Keras's words.
///
///     optimizers::OptimizerMap map(optimizers::AdamW(1e-3));
///     map.set(".*bias", optimizers::SGD(0.1));
///     model.compile({.optimizer = optimizers::MultiOptimizer(map), .loss = "mse"});
///
///     const optimizers::SGD slow(0.01), fast(0.1);
///     const optimizers::MultiOptimizer by_function([=](const Variable& variable) -> optimizers::Optimizer {
///       return variable.path().starts_with("encoder/") ? slow : fast;
///     });
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
  /// The function is called once for each variable, in their order, when the optimizer is built; variables share an
  /// optimizer if it returns the same object for them. Building throws ValueError in Keras's words for an empty
  /// optimizer, a LossScaleOptimizer and a MultiOptimizer; `get_config`, and so saving a model with it, throws
  /// ValueError, since files hold no functions. Throws ValueError for an empty function.
  explicit MultiOptimizer(const OptimizerSelector& selector, const MultiOptimizerOptions& options = {});

  /// The optimizers of the map in its order, then the default. Of a function: those that it has returned, in their
  /// order; none before the optimizer is built.
  std::vector<Optimizer> optimizers() const { return impl_->parts(); }

  /// Creates it from a saved `config`. Throws ValueError for unknown arguments.
  static MultiOptimizer from_config(const io::Json& config);
};

}  // namespace rhyton::optimizers
