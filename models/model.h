#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <rhyton/datasets/dataset.h>
#include <rhyton/framework/by_name.h>
#include <rhyton/framework/tensor/tensor.h>
#include <rhyton/layers/layer.h>
#include <rhyton/models/callbacks/logs.h>
#include <rhyton/models/quantize_options.h>
#include <rhyton/models/saving/options.h>
#include <rhyton/models/state_tree.h>
#include <rhyton/models/summary.h>
#include <rhyton/models/symbolic_tensors.h>
#include <rhyton/models/training/options.h>

namespace rhyton::models {

class ModelImpl;

/// The return value of `fit`.
using History = callbacks::History;

/// The arguments of a functional model. Fields in the order of `keras.Model(inputs, outputs, name)`.
struct ModelOptions {
  ByName by_name = ByName();
  SymbolicTensors inputs = {};
  SymbolicTensors outputs = {};
  /// "functional", "functional_1", … if empty.
  std::string name = {};
  bool trainable = true;
};

/// A model: a composition of layers with training, evaluation and prediction (`keras.Model`,
/// https://keras.io/api/models/model). A handle: copies are the same model. A model is also a layer and can be called
/// in another model.
///
/// ```
/// layers::SymbolicTensor x = layers::Input({.shape = {784}});
/// layers::SymbolicTensor y = layers::Dense(10)(layers::Dense(64, {.activation = "relu"})(x));
/// models::Model model({.inputs = x, .outputs = y});
/// ```
class Model : public layers::Layer {
 public:
  /// An empty handle.
  Model() = default;
  /// The functional model that computes `outputs` from `inputs`. Throws ValueError in Keras's words when one of them is
  /// missing, an output does not depend on the inputs, or two layers have the same name.
  explicit Model(const ModelOptions& options);
  Model(const SymbolicTensors& inputs, const SymbolicTensors& outputs)
      : Model(ModelOptions{.inputs = inputs, .outputs = outputs}) {}
  explicit Model(std::shared_ptr<ModelImpl> impl);
  /// The model that `layer` is, such as the result of `get_layer` or a callback's `model()`. Throws TypeError if it is
  /// not a model.
  static Model from_layer(const layers::Layer& layer);

  /// Configures training: optimizer, loss, metrics. Throws ValueError for unknown names.
  void compile(const CompileOptions& options = {}) const;

  /// Trains for some epochs. `x`: one tensor, a list, or a map from the names of the inputs, with the samples on the
  /// first axis; `y`: the targets likewise. Throws ValueError in Keras's words when the model is not compiled, the
  /// numbers of samples differ or shapes do not fit.
  History fit(const training::Tensors& x, const training::Tensors& y, const FitOptions& options = {}) const;
  /// The same on a data set, epoch by epoch. `batch_size`, `validation_split` and `sample_weight` must not be given:
  /// the data set has its own batches, weights and order (`shuffle` has no effect). With `steps_per_epoch` an epoch
  /// continues where the previous one ended; if the batches run out it ends early, with a warning. Errors during the
  /// preparation of a batch, such as an unreadable image, are thrown here; the steps before it have been taken.
  History fit(const datasets::Dataset& dataset, const FitOptions& options = {}) const;
  /// Computes the loss and the metrics on these data, under their names: `evaluate(x, y).at("loss")`. In Keras's order,
  /// loss first.
  callbacks::Logs evaluate(const training::Tensors& x, const training::Tensors& y,
                           const EvaluateOptions& options = {}) const;
  callbacks::Logs evaluate(const datasets::Dataset& dataset, const EvaluateOptions& options = {}) const;
  /// Computes the output for all samples of `x`, batch by batch. Throws ValueError for a model with several outputs.
  Tensor predict(const training::Tensors& x, const PredictOptions& options = {}) const;
  /// The same for the samples of a data set, of which only x is used.
  Tensor predict(const datasets::Dataset& dataset, const PredictOptions& options = {}) const;
  /// The same for any number of outputs.
  std::vector<Tensor> predict_many(const training::Tensors& x, const PredictOptions& options = {}) const;
  std::vector<Tensor> predict_many(const datasets::Dataset& dataset, const PredictOptions& options = {}) const;

  /// Takes one training step on one batch. Returns the loss and metrics of that batch alone.
  callbacks::Logs train_on_batch(const training::Tensors& x, const training::Tensors& y,
                                 const BatchOptions& options = {}) const;
  callbacks::Logs test_on_batch(const training::Tensors& x, const training::Tensors& y,
                                const BatchOptions& options = {}) const;
  /// The outputs for one batch.
  std::vector<Tensor> predict_on_batch(const training::Tensors& x) const;

  // These may be called while another thread compiles or trains the model.

  bool is_compiled() const;
  /// The optimizer of `compile`, or the LossScaleOptimizer around it. Throws ValueError if `compile` was not called.
  optimizers::Optimizer optimizer() const;
  /// The arguments of `compile`. Throws ValueError if it was not called.
  CompileOptions compile_options() const;

  /// The loss and the metrics of the steps so far: of the last epoch of `fit`, the last `evaluate`, or the calls of
  /// `train_on_batch` since. In Keras's order, loss first. None before `compile`.
  callbacks::Logs get_metrics_result() const;
  /// The names in the result, without those of an output's metrics ("a_mae"). None before `compile`.
  std::vector<std::string> metrics_names() const;
  /// The variables of loss and metrics; those of metrics exist from the first step on. None before `compile`.
  std::vector<Variable> metrics_variables() const;
  /// Sets loss and metrics to zero. Throws RuntimeError while another thread trains the model.
  void reset_metrics() const;

  /// The values of all variables between two steps, by their paths.
  StateTree get_state_tree() const;
  /// Sets the variables to these values, all or none; variables that the tree does not name keep theirs. Throws
  /// ValueError for a path that no variable has, and for values of another shape.
  void set_state_tree(const StateTree& tree) const;

  /// Quantizes the layers that can be quantized, at any depth: `layers::Layer::quantize` for each of them, with a warning
  /// for each other one. `model.quantize("int8", {.filters = "encoder"})` changes only layers with such names.
  void quantize(const std::string& mode, const QuantizeOptions& options = {}) const;
  /// With the mode of `options.config`.
  void quantize(const QuantizeOptions& options) const;

  /// Prints the table of the layers to the standard output, or passes it to `print_fn`.
  void summary(const SummaryOptions& options = {}) const;

  /// The layers, in Keras's order; for a Sequential without its Input.
  std::vector<layers::Layer> layers() const;
  /// The layer of that name. Throws ValueError naming the existing layers if there is none.
  layers::Layer get_layer(const std::string& name) const;
  /// The layer at that index; -1 is the last. Throws ValueError if there are not that many layers.
  layers::Layer get_layer(int index) const;

  /// Throws ValueError for a Sequential that is not built.
  std::vector<layers::SymbolicTensor> inputs() const;
  std::vector<layers::SymbolicTensor> outputs() const;
  /// The names of the layers of the inputs and outputs; for a dictionary, its keys, in their order.
  std::vector<std::string> input_names() const;
  std::vector<std::string> output_names() const;

  /// The architecture and the arguments of `compile` in the form of `config.json`, without weights.
  std::string to_json() const;

  /// Writes architecture, weights and training state: to a `.keras` archive, which every Keras 3 loads, or to a legacy
  /// `.h5` or `.hdf5` file. The write is atomic: an existing file is replaced only when the new one is complete. May be
  /// called while another thread trains the model: the state between two steps is written. Throws ValueError in Keras's
  /// words for another extension, and IOError if the file cannot be written. If several processes train the model
  /// together (`distribute::MultiWorkerMirroredStrategy`), only the chief writes.
  void save(const std::string& path, const SaveOptions& options = {}) const;
  /// Writes the weights, and the optimizer's state if the model is compiled, to a `.weights.h5` file, in the same way.
  /// With `max_shard_size` the path is that of a `.weights.json` file, which says in which of the files
  /// `<name>_00000.weights.h5`, `<name>_00001.weights.h5`, … beside it each object has its values; it is replaced after
  /// they are complete. Throws ValueError in Keras's words if one value is larger than `max_shard_size`.
  void save_weights(const std::string& path, const SaveWeightsOptions& options = {}) const;
  /// Sets the weights, and the optimizer's state if the file has one for it, from a `.weights.h5`, `.weights.json` or
  /// `.keras` file, or the weights from a legacy `.h5` file, of weights or of a whole model. All or nothing: if
  /// anything cannot be read or does not fit, it throws and no variable changes. Throws ValueError in Keras's words for
  /// weights that do not fit and while the model is not built, NotFoundError when there is no such file, IOError for a
  /// damaged one.
  void load_weights(const std::string& path, const LoadWeightsOptions& options = {}) const;

  /// The implementation, for the modules that build on models.
  std::shared_ptr<ModelImpl> model_impl() const;
};

static_assert(sizeof(Model) == sizeof(layers::Layer), "a handle has no members of its own");

/// Reads a model written by `Model::save` or Keras: architecture, weights and training state. A `.keras` archive, or a
/// folder of its members, of any Keras 3 or of tf.keras since 2.12; a legacy `.h5` or `.hdf5` file of Keras 3 or 2.
///
/// Throws ValueError in Keras's words when there is no such file, or it has another format; ValueError or
/// NotImplementedError naming layer, class and file for layers that Rhyton does not have, for `Lambda`, for layers that
/// wrap code of another framework, and for classes that are not registered; IOError for a damaged file. See
/// https://keras.io/api/models/model_saving_apis.
Model load_model(const std::string& path, const LoadModelOptions& options = {});

/// Creates the model that `to_json` (Rhyton's or Keras's) describes, with new weights, compiled if that one was. Throws
/// ValueError for a text that does not describe a model.
Model model_from_json(const std::string& text, const saving::CustomObjectMap& custom_objects = {});

}  // namespace rhyton::models
