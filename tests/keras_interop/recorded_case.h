#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <rhyton/framework/io/json/json.h>
#include <rhyton/framework/tensor/tensor.h>
#include <rhyton/models/training/tensors.h>

#include <rhyton/tests/keras_interop/comparison.h>

namespace rhyton::interop {

/// A model saved by Keras with Keras's results: a folder written by make_models.py.
class RecordedCase {
 public:
  /// Throws IOError if a file is missing or malformed.
  explicit RecordedCase(const std::filesystem::path& folder);

  /// "dense/arguments".
  std::string name() const { return description_["name"].as_string(); }
  const std::filesystem::path& folder() const { return folder_; }
  /// case.json.
  const io::Json& description() const { return description_; }
  /// Whether its training draws random numbers, so that only predictions can be compared.
  bool is_random() const { return description_["is_random"].as_bool(); }
  /// Whether its calls had `training=True`: `predict` and `evaluate` draw too.
  bool is_random_in_inference() const { return description_["is_random_in_inference"].as_bool(); }
  /// Whether it has layers that adapted to data.
  bool is_adapted() const { return description_["is_adapted"].as_bool(); }
  /// Whether the model must be refused.
  bool is_refused() const { return !description_["refused_layer"].as_string().empty(); }
  /// Whether Keras could save the model in that format: "keras", "h5", "weights.h5".
  bool has_format(const std::string& format) const {
    return is_asked_for(format) && description_["formats"][format].is_null();
  }
  /// Whether the case uses that format.
  bool is_asked_for(const std::string& format) const { return description_["formats"].contains(format); }
  std::filesystem::path file(const std::string& format) const { return folder_ / ("model." + format); }

  /// The arrays role0, role1, …
  std::vector<Tensor> arrays(const std::string& role) const;
  /// The inputs for prediction, in the structure of the model's inputs.
  training::Tensors predicted_inputs() const { return in_form("x", arrays("predict_x")); }

  /// Samples to train or evaluate on; sample weights are empty if there are none.
  struct Batch {
    training::Tensors x;
    training::Tensors y;
    training::Tensors sample_weight;
  };
  int steps() const { return static_cast<int>(description_["steps"].as_int()); }
  Batch train_batch(int step) const;
  /// Samples to evaluate on, more than one batch; also those of `fit`.
  Batch evaluated() const;
  /// Loss and metrics of an epoch of `fit` after the steps; null if there was none.
  const io::Json& fitted() const { return description_["fit"]; }
  /// Weights of classes in that epoch.
  std::map<std::int64_t, double> class_weight() const;
  std::int64_t batch_size() const { return description_["batch_size"].as_int(); }
  /// The batch that Keras used repeatedly to record random results.
  Batch drawn_batch() const;
  /// Keras's loss and metrics at that step.
  const io::Json& logs(int step) const { return description_["logs"][step]; }
  const io::Json& evaluation() const { return description_["evaluation"]; }
  /// The name under which the newest Keras logs what is recorded as `name`, for the file of that format: in `.keras`
  /// files of tf.keras, a metric that `compile` got as a string has another one.
  std::string log_name(const std::string& name, const std::string& format) const;
  /// Loss and metrics of each of Keras's draws, by name; empty if there are none.
  std::map<std::string, std::vector<double>> draws() const;
  /// Whether the draws depend on the seed of the process.
  bool is_unseeded() const { return description_["is_unseeded"].as_bool(); }
  /// The tolerance of an array: `base` times its size, or more if rounding requires it. `which`: "prediction",
  /// "weights", "optimizer_variables".
  Tolerance tolerance(const std::string& which, std::size_t index, double base) const;
  /// The same for an entry of `logs` or `evaluation`; `base` alone for one that the Keras which wrote the file does not
  /// report (losses of single outputs).
  Tolerance log_tolerance(int step, const std::string& name, double base) const;
  Tolerance evaluation_tolerance(const std::string& name, double base) const;
  Tolerance fit_tolerance(const std::string& name, double base) const;
  /// Whether the optimizer's variables are recorded: not those of Keras 2, which has others.
  bool has_optimizer_variables() const { return !description_["optimizer_variables"].is_null(); }
  /// Whether a variable changes only by rounding. `which`: "weights", "optimizer_variables".
  bool is_unsettled(const std::string& which, std::size_t index) const;

 private:
  /// `absolute`: the entry of "tolerances"; null if the case has none.
  Tolerance tolerance_of(double base, const io::Json* absolute) const;
  Batch batch(const std::string& prefix) const;
  std::vector<Tensor> at_step(const std::string& role, int step) const;
  training::Tensors in_form(const std::string& role, const std::vector<Tensor>& tensors) const;

  std::filesystem::path folder_;
  io::Json description_;
  std::map<std::string, Tensor> arrays_;
};

/// All cases of a folder that make_models.py has written, by name.
std::vector<std::filesystem::path> case_folders(const std::filesystem::path& models);

}  // namespace rhyton::interop
