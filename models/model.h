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
#include <rhyton/models/saving/options.h>
#include <rhyton/models/summary.h>
#include <rhyton/models/symbolic_tensors.h>
#include <rhyton/models/training/options.h>

namespace rhyton::models {

class ModelImpl;

/// What `fit` returns.
using History = callbacks::History;

/// What a functional model is made of. Fields in the order of `keras.Model(inputs, outputs, name)`.
struct ModelOptions {
  ByName by_name = ByName();
  SymbolicTensors inputs = {};
  SymbolicTensors outputs = {};
  /// "functional", "functional_1", … where empty.
  std::string name = {};
  bool trainable = true;
};

/// A model: layers put together, with training, evaluation and prediction (`keras.Model`,
/// https://keras.io/api/models/model). A handle: copies are the same model. A model is a layer too and can be called in
/// another model.
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
  /// missing, an output does not hang on the inputs, or two layers have one name.
  explicit Model(const ModelOptions& options);
  explicit Model(std::shared_ptr<ModelImpl> impl);
  /// The model that `layer` is, as what `get_layer` or a callback's `model()` gives. Throws TypeError when it is none.
  static Model from_layer(const layers::Layer& layer);

  /// Says how to train: optimizer, loss, metrics. Throws ValueError for names that are unknown.
  void compile(const CompileOptions& options = {}) const;

  /// Trains for some epochs. `x`: one tensor, a list, or a map from the names of the inputs, the samples along the
  /// first axis; `y`: the targets likewise. Throws ValueError in Keras's words when the model is not compiled, the
  /// numbers of samples differ or shapes do not fit.
  History fit(const training::Tensors& x, const training::Tensors& y, const FitOptions& options = {}) const;
  /// The same on a data set, epoch by epoch. `batch_size`, `validation_split` and `sample_weight` must not be given:
  /// batches and weights are the data set's own, and so is their order (`shuffle` has no effect). With
  /// `steps_per_epoch` an epoch goes on where the last one has ended; it ends early, with a warning, where the batches
  /// do. What goes wrong while a batch is made ready, such as an image that cannot be read, is thrown here; the steps
  /// before it have been taken.
  History fit(const datasets::Dataset& dataset, const FitOptions& options = {}) const;
  /// The loss and the metrics on these data, under their names: `evaluate(x, y).at("loss")`. In Keras's order, loss
  /// first.
  callbacks::Logs evaluate(const training::Tensors& x, const training::Tensors& y,
                           const EvaluateOptions& options = {}) const;
  callbacks::Logs evaluate(const datasets::Dataset& dataset, const EvaluateOptions& options = {}) const;
  /// The output for all samples of `x`, computed batch by batch. Throws ValueError for a model with several outputs.
  Tensor predict(const training::Tensors& x, const PredictOptions& options = {}) const;
  /// The same for the samples of a data set, of which only x is used.
  Tensor predict(const datasets::Dataset& dataset, const PredictOptions& options = {}) const;
  /// The same for any number of outputs.
  std::vector<Tensor> predict_many(const training::Tensors& x, const PredictOptions& options = {}) const;
  std::vector<Tensor> predict_many(const datasets::Dataset& dataset, const PredictOptions& options = {}) const;

  /// One step of training on one batch. Returns the loss and metrics of that batch alone.
  callbacks::Logs train_on_batch(const training::Tensors& x, const training::Tensors& y,
                                 const BatchOptions& options = {}) const;
  callbacks::Logs test_on_batch(const training::Tensors& x, const training::Tensors& y,
                                const BatchOptions& options = {}) const;
  /// The outputs for one batch.
  std::vector<Tensor> predict_on_batch(const training::Tensors& x) const;

  bool is_compiled() const;
  /// What `compile` was given. Throws ValueError where it was not called.
  optimizers::Optimizer& optimizer() const;
  const CompileOptions& compile_options() const;

  /// Prints the table of the layers to the standard output, or hands it to `print_fn`.
  void summary(const SummaryOptions& options = {}) const;

  /// The layers, in Keras's order; a Sequential's without its Input.
  std::vector<layers::Layer> layers() const;
  /// Throws ValueError naming the existing layers when there is none of that name.
  layers::Layer get_layer(const std::string& name) const;
  /// Throws ValueError when there are not that many layers. -1 is the last.
  layers::Layer get_layer(int index) const;

  /// Throws ValueError for a Sequential that is not built yet.
  std::vector<layers::SymbolicTensor> inputs() const;
  std::vector<layers::SymbolicTensor> outputs() const;
  /// The names of the layers that inputs and outputs come from; of a dictionary, its keys, in their order.
  std::vector<std::string> input_names() const;
  std::vector<std::string> output_names() const;

  /// The architecture, and what `compile` was given, as `config.json` holds it, without weights.
  std::string to_json() const;

  /// Writes architecture, weights and training state: to a `.keras` archive, which every Keras 3 loads, or to a legacy
  /// `.h5` or `.hdf5` file. The file appears whole or not at all; one that was there stays until then. May be called
  /// while another thread trains the model: what is written is its state between two steps. Throws ValueError in
  /// Keras's words for another extension, and IOError where the file cannot be written. Of several processes that train
  /// the model together (`distribute::MultiWorkerMirroredStrategy`) only the chief writes.
  void save(const std::string& path, const SaveOptions& options = {}) const;
  /// Writes the weights, and the optimizer's state where the model is compiled, to a `.weights.h5` file, in the same
  /// way.
  void save_weights(const std::string& path, const SaveWeightsOptions& options = {}) const;
  /// Sets the weights, and the optimizer's state where the file has one for it, from a `.weights.h5` or `.keras` file,
  /// or the weights from a legacy `.h5` file, of weights or of a whole model. All or nothing: when anything cannot be
  /// read or does not fit, it throws and no variable has changed. Throws ValueError in Keras's words for what does not
  /// fit and while the model is not built, NotFoundError when there is no such file, IOError for a damaged one.
  void load_weights(const std::string& path, const LoadWeightsOptions& options = {}) const;

  /// For the rooms that build on models.
  std::shared_ptr<ModelImpl> model_impl() const;
};

static_assert(sizeof(Model) == sizeof(layers::Layer), "a handle has no members of its own");

/// Reads what `Model::save` or Keras wrote: architecture, weights and training state. A `.keras` archive, or a folder
/// of its members, of any Keras 3 or of tf.keras since 2.12; a legacy `.h5` or `.hdf5` file of Keras 3 or 2.
///
/// Throws ValueError in Keras's words when there is no such file, or it has another format; ValueError or
/// NotImplementedError naming layer, class and file for layers that Rhyton does not have, for `Lambda`, and for classes
/// that are not registered; IOError for a damaged file. See https://keras.io/api/models/model_saving_apis.
Model load_model(const std::string& path, const LoadModelOptions& options = {});

/// The model that `to_json` (Rhyton's or Keras's) describes, with fresh weights, compiled if that one was. Throws
/// ValueError for a text that does not describe one.
Model model_from_json(const std::string& text, const saving::CustomObjectMap& custom_objects = {});

}  // namespace rhyton::models
