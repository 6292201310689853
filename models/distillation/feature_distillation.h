#pragma once

#include <string>

#include <rhyton/framework/by_name.h>
#include <rhyton/models/distillation/distillation_loss.h>
#include <rhyton/models/training/options.h>

namespace rhyton::distillation {

/// Arguments of `FeatureDistillation`. Fields in the order of Keras's signature.
struct FeatureDistillationOptions {
  ByName by_name = ByName();
  /// One for one output; a list or a map with one for each output, of which those with `nullptr` are left out.
  models::LossArgument loss = "mse";
  /// The layer of the teacher whose outputs are compared; the outputs of the models if empty.
  std::string teacher_layer_name = {};
  /// The layer of the student whose outputs are compared with those of the teacher's layer.
  std::string student_layer_name = {};
};

/// Distills the outputs of inner layers, features: the mean of `loss(teacher, student)`, added over the outputs.
/// (`keras.distillation.FeatureDistillation`)
class FeatureDistillation : public DistillationLoss {
 public:
  /// Throws ValueError in Keras's words where no output has a loss.
  explicit FeatureDistillation(const FeatureDistillationOptions& options = {});
  static FeatureDistillation from_config(const io::Json& config);
};

}  // namespace rhyton::distillation
