#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <rhyton/datasets/dataset.h>
#include <rhyton/framework/by_name.h>
#include <rhyton/models/callbacks/callback.h>
#include <rhyton/models/losses/loss.h>
#include <rhyton/models/training/metrics_argument.h>
#include <rhyton/models/training/tensors.h>
#include <rhyton/optimizers/optimizer.h>

namespace rhyton::models {

/// The loss of a model: one for all outputs, one per output, or a map from output names. An output with the loss
/// `nullptr`, and one that a shorter list lacks, is not trained: `.loss = {"mse", nullptr}`. A map has all outputs, as in
/// Keras, unless the outputs of the model are a dictionary.
class LossArgument {
 public:
  LossArgument() = default;
  LossArgument(const char* name) : list_{losses::Loss(name)} {}         // NOLINT(google-explicit-constructor)
  LossArgument(const std::string& name) : list_{losses::Loss(name)} {}  // NOLINT(google-explicit-constructor)
  template <class T>
  requires std::convertible_to<T, losses::Loss> LossArgument(T loss)
      : list_{losses::Loss(std::move(loss))} {}  // NOLINT(google-explicit-constructor)
  LossArgument(std::vector<losses::Loss> list) : list_(std::move(list)), is_list_(true) {}            // NOLINT
  LossArgument(std::initializer_list<losses::Loss> list) : list_(list), is_list_(true) {}             // NOLINT
  LossArgument(std::initializer_list<std::pair<const std::string, losses::Loss>> map) : map_(map) {}  // NOLINT
  LossArgument(std::map<std::string, losses::Loss> map) : map_(std::move(map)) {}                     // NOLINT

  bool is_empty() const { return list_.empty() && map_.empty(); }
  bool is_list() const { return is_list_; }
  bool is_map() const { return !map_.empty(); }
  const std::vector<losses::Loss>& list() const { return list_; }
  const std::map<std::string, losses::Loss>& map() const { return map_; }

 private:
  std::vector<losses::Loss> list_;
  bool is_list_ = false;
  std::map<std::string, losses::Loss> map_;
};

/// The weights of the outputs' losses: none (all 1), one per output, or a map from output names.
class LossWeights {
 public:
  LossWeights() = default;
  LossWeights(std::vector<double> list) : list_(std::move(list)) {}  // NOLINT(google-explicit-constructor)
  LossWeights(std::initializer_list<double> list) : list_(list) {}   // NOLINT(google-explicit-constructor)
  LossWeights(std::initializer_list<std::pair<const std::string, double>> map) : map_(map) {}  // NOLINT
  LossWeights(std::map<std::string, double> map) : map_(std::move(map)) {}  // NOLINT(google-explicit-constructor)
  bool is_empty() const { return list_.empty() && map_.empty(); }
  const std::vector<double>& list() const { return list_; }
  const std::map<std::string, double>& map() const { return map_; }

 private:
  std::vector<double> list_;
  std::map<std::string, double> map_;
};

/// Arguments of `compile`. Fields in the order of Keras's signature.
struct CompileOptions {
  ByName by_name = ByName();
  optimizers::Optimizer optimizer = "rmsprop";
  LossArgument loss = {};
  LossWeights loss_weights = {};
  MetricsArgument metrics = {};
  /// Metrics that use sample weights and class weights.
  MetricsArgument weighted_metrics = {};
  /// Runs ops one by one instead of as one compiled graph: slower, but debuggers and printing work inside layers.
  bool run_eagerly = false;
  /// The number of steps between two calls of callbacks and progress bar, at least 1: `on_train_batch_begin` is called
  /// before the first of them, `on_train_batch_end` after the last one.
  std::int64_t steps_per_execution = 1;
  /// Whether the optimizer of a model of the policy "mixed_float16" is wrapped in a LossScaleOptimizer.
  bool auto_scale_loss = true;
  /// Whether gradients of embeddings are applied as Keras applies them on TensorFlow, not as sums
  /// (`optimizers::Optimizer::apply`): for a token that a batch has several times, the moments of Adam and others are
  /// sums of squares, not the squares of sums. No option of Keras, whose files do not have it.
  bool sparse_embedding_gradients = false;
};

/// The data of a validation: x, y and optional sample weights, or a data set.
class ValidationData {
 public:
  ValidationData() = default;
  ValidationData(training::Tensors x, training::Tensors y, training::Tensors sample_weight = {})
      : x(std::move(x)), y(std::move(y)), sample_weight(std::move(sample_weight)) {}
  ValidationData(datasets::Dataset dataset) : dataset(std::move(dataset)) {}  // NOLINT(google-explicit-constructor)
  bool is_empty() const { return x.is_empty() && !dataset; }

  training::Tensors x;
  training::Tensors y;
  training::Tensors sample_weight;
  std::optional<datasets::Dataset> dataset;
};

/// Arguments of `fit`. Fields in the order of Keras's signature.
struct FitOptions {
  ByName by_name = ByName();
  /// The samples of a step, 32 if not given. Not for a data set, which has its own batches.
  std::optional<std::int64_t> batch_size = std::nullopt;
  /// The epoch, counted from 0, before which training ends: so many epochs, less `initial_epoch`, are trained.
  int epochs = 1;
  /// 0 silent, 1 a progress bar, 2 one line per epoch.
  int verbose = 1;
  std::vector<callbacks::Callback> callbacks = {};
  /// The part of the data, in [0, 1), that is used for validation: the last samples before shuffling.
  double validation_split = 0.0;
  ValidationData validation_data = {};
  /// Whether the samples have another order in each epoch. Without effect on a data set.
  bool shuffle = true;
  /// The weights of classes, by class index.
  std::map<std::int64_t, double> class_weight = {};
  training::Tensors sample_weight = {};
  /// The epoch, counted from 0, with which training begins.
  int initial_epoch = 0;
  /// The steps of an epoch, which then continues in the data where the last one ended. All batches if not given.
  std::optional<std::int64_t> steps_per_epoch = std::nullopt;
  /// The steps of a validation. All batches if not given.
  std::optional<std::int64_t> validation_steps = std::nullopt;
  /// `batch_size` if not given.
  std::optional<std::int64_t> validation_batch_size = std::nullopt;
  /// The number of epochs from one validation to the next.
  int validation_freq = 1;
};

/// Arguments of `evaluate`. Fields in the order of Keras's signature.
struct EvaluateOptions {
  ByName by_name = ByName();
  std::optional<std::int64_t> batch_size = std::nullopt;
  int verbose = 1;
  training::Tensors sample_weight = {};
  std::optional<std::int64_t> steps = std::nullopt;
  std::vector<callbacks::Callback> callbacks = {};
};

/// Arguments of `predict`. Fields in the order of Keras's signature.
struct PredictOptions {
  ByName by_name = ByName();
  std::optional<std::int64_t> batch_size = std::nullopt;
  int verbose = 1;
  std::optional<std::int64_t> steps = std::nullopt;
  std::vector<callbacks::Callback> callbacks = {};
};

/// Arguments of `train_on_batch` and `test_on_batch`.
struct BatchOptions {
  ByName by_name = ByName();
  training::Tensors sample_weight = {};
  /// Only for `train_on_batch`.
  std::map<std::int64_t, double> class_weight = {};
};

}  // namespace rhyton::models
