#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <rhyton/framework/by_name.h>
#include <rhyton/models/distillation/distillation_loss.h>
#include <rhyton/models/model.h>
#include <rhyton/models/training/options.h>

namespace rhyton::distillation {

/// Arguments of `Distiller` besides its models and losses. Fields in the order of Keras's signature.
struct DistillerOptions {
  ByName by_name = ByName();
  /// One per loss; all 1 if empty.
  std::vector<double> distillation_loss_weights = {};
  /// The weight of the student's own loss, in [0, 1]. The distillation losses have the rest, 1 - student_loss_weight.
  double student_loss_weight = 0.5;
  std::string name = "distiller";
  bool trainable = true;
  /// The dtype policy of the distiller itself; the global one if empty.
  std::string dtype = {};
};

/// Arguments of `Distiller::compile`, as `CompileOptions` but for the default of `optimizer`, and with the loss of the
/// student, which must be given.
struct DistillerCompileOptions {
  ByName by_name = ByName();
  optimizers::Optimizer optimizer = "adam";
  models::LossArgument loss = {};
  models::LossWeights loss_weights = {};
  models::MetricsArgument metrics = {};
  models::MetricsArgument weighted_metrics = {};
  bool run_eagerly = false;
  std::int64_t steps_per_execution = 1;
  bool auto_scale_loss = true;
};

/// A model that trains a student to give the outputs of a teacher besides the targets of the data
/// (`keras.distillation.Distiller`). It predicts as the student does. `fit` minimizes
///
///     student_loss_weight · loss(y, student(x)) + (1 - student_loss_weight) · Σ weight · distillation_loss
///
/// and trains the student alone: the teacher is frozen (`trainable` is false) from the construction on. The logs have
/// "student_loss", "distillation_loss" and "total_loss" besides "loss" and the metrics of `compile`; these three are
/// means over the batches, without regard to their sizes. As in Keras, sample weights, class weights and the penalties
/// of layers are not used, and layers whose outputs are compared are computed in a second pass of the student, with
/// `training = true` also in `evaluate`.
///
/// ```
/// distillation::Distiller distiller(teacher, student, {distillation::LogitsDistillation({.temperature = 3.0})});
/// distiller.compile({.loss = losses::SparseCategoricalCrossentropy({.from_logits = true}), .metrics = {"accuracy"}});
/// distiller.fit(x, y, {.epochs = 10});
/// distiller.student().save("student.keras");
/// ```
///
/// Files have it as Keras writes it. A distiller that is read from one is not compiled, as in Keras. It is not trained
/// on several replicas.
class Distiller : public models::Model {
 public:
  /// Throws ValueError in Keras's words for models whose inputs or outputs have different shapes or dtypes, a
  /// `student_loss_weight` outside of [0, 1], another number of weights than of losses, and layers that the models do
  /// not have.
  Distiller(const models::Model& teacher, const models::Model& student,
            const std::vector<DistillationLoss>& distillation_losses, const DistillerOptions& options = {});
  Distiller(const models::Model& teacher, const models::Model& student, const DistillationLoss& distillation_loss,
            const DistillerOptions& options = {});
  static Distiller from_config(const io::Json& config);

  /// Configures training. Throws ValueError "'loss' cannot be `None`." without a loss.
  void compile(const DistillerCompileOptions& options) const;

  models::Model teacher() const;
  models::Model student() const;
  std::vector<DistillationLoss> distillation_losses() const;
  std::vector<double> distillation_loss_weights() const;
  double student_loss_weight() const;
};

static_assert(sizeof(Distiller) == sizeof(layers::Layer), "a handle has no members of its own");

}  // namespace rhyton::distillation
