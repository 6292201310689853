#pragma once

#include <rhyton/framework/by_name.h>
#include <rhyton/models/distillation/distillation_loss.h>
#include <rhyton/models/training/options.h>

namespace rhyton::distillation {

/// Arguments of `LogitsDistillation`. Fields in the order of Keras's signature.
struct LogitsDistillationOptions {
  ByName by_name = ByName();
  /// Both outputs are divided by it, more than 0. Large ones make softer probabilities.
  double temperature = 3.0;
  /// One for a model with one output; a list or a map with one for each output, of which those with `nullptr` are left
  /// out. As in Keras, a string such as "kl_divergence" is the function of that name, applied to the scaled outputs as
  /// they are. The object `losses::KLDivergence()` gets softmax probabilities of both, and its value is multiplied by
  /// temperature².
  models::LossArgument loss = "kl_divergence";
};

/// Distills the outputs of a model, its logits: the mean of `loss(teacher / temperature, student / temperature)`, added
/// over the outputs. (`keras.distillation.LogitsDistillation`)
class LogitsDistillation : public DistillationLoss {
 public:
  /// Throws ValueError in Keras's words for a temperature that is not positive and where no output has a loss.
  explicit LogitsDistillation(const LogitsDistillationOptions& options = {});
  static LogitsDistillation from_config(const io::Json& config);
};

}  // namespace rhyton::distillation
