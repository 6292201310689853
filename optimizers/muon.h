#pragma once

#include <optional>
#include <string>
#include <vector>

#include <rhyton/optimizers/optimizer.h>

namespace rhyton::optimizers {

/// The options of Muon, in Keras's order.
struct MuonOptions {
  ByName by_name = ByName();
  LearningRate learning_rate = 0.001;
  double adam_beta_1 = 0.9;
  double adam_beta_2 = 0.999;
  /// The weight decay of the variables that Adam updates.
  std::optional<double> adam_weight_decay = 0.004;
  double epsilon = 1e-7;
  // The options of all optimizers: see OptimizerOptions.
  std::optional<double> weight_decay = 0.004;
  std::optional<double> clipnorm = std::nullopt;
  std::optional<double> clipvalue = std::nullopt;
  std::optional<double> global_clipnorm = std::nullopt;
  bool use_ema = false;
  double ema_momentum = 0.99;
  std::optional<int> ema_overwrite_frequency = std::nullopt;
  std::optional<double> loss_scale_factor = std::nullopt;
  std::optional<int> gradient_accumulation_steps = std::nullopt;
  std::string name = {};
  // Those of Muon.
  /// Regular expressions: Adam updates the variables in whose path one of them is found.
  std::vector<std::string> exclude_layers = {};
  /// Adam updates the variables whose path contains "embedding".
  bool exclude_embeddings = true;
  double muon_a = 3.4445;
  double muon_b = -4.775;
  double muon_c = 2.0315;
  /// Adam's learning rate, as a multiple of `learning_rate`.
  double adam_lr_ratio = 1.0;
  double momentum = 0.95;
  /// The iterations that make an update orthogonal.
  int ns_steps = 5;
  bool nesterov = true;
  /// An update of a matrix is multiplied by this times the root of the longer side; not if empty.
  std::optional<double> rms_rate = 0.2;

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields("adam_beta_1", self.adam_beta_1);
    fields("adam_beta_2", self.adam_beta_2);
    fields("epsilon", self.epsilon);
    fields("exclude_layers", self.exclude_layers);
    fields("muon_a", self.muon_a);
    fields("muon_b", self.muon_b);
    fields("muon_c", self.muon_c);
    fields.count("adam_lr_ratio", self.adam_lr_ratio);
    fields("momentum", self.momentum);
    fields("ns_steps", self.ns_steps);
    fields("nesterov", self.nesterov);
    fields("exclude_embeddings", self.exclude_embeddings);
    fields("adam_weight_decay", self.adam_weight_decay);
    fields("rms_rate", self.rms_rate);
  }
};

/// Momentum whose updates of matrices are made orthogonal: m = momentum m + g; u = g + momentum m with `nesterov`, else
/// m; u / ‖u‖ is brought near the closest orthogonal matrix by `ns_steps` times x = a x + (b x xᵀ + c (x xᵀ)²) x; w -=
/// lr u rms_rate √(longer side). Variables that are no matrices, and those excluded, are updated as by Adam, with
/// `adam_weight_decay`. https://keras.io/api/optimizers/muon/
class Muon : public Optimizer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "Muon";
  using Arguments = MuonOptions;

  explicit Muon(const MuonOptions& options = {});
  explicit Muon(const LearningRate& learning_rate) : Muon(MuonOptions{.learning_rate = learning_rate}) {}

  /// Creates it from a saved `config`.
  static Muon from_config(const io::Json& config);
};

}  // namespace rhyton::optimizers
