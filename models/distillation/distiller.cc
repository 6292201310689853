#include <rhyton/models/distillation/distiller.h>

#include <memory>
#include <utility>

#include <rhyton/framework/serialization/config_reader.h>
#include <rhyton/models/custom_model.h>
#include <rhyton/models/distillation/distiller_impl.h>
#include <rhyton/models/saving/model_config.h>

namespace rhyton::distillation {
namespace {

const DistillerImpl& impl_of(const Distiller& distiller) {
  return static_cast<const DistillerImpl&>(*distiller.model_impl());
}

std::shared_ptr<models::ModelImpl> make(const models::Model& teacher, const models::Model& student,
                                        std::vector<DistillationLoss> losses, const DistillerOptions& options) {
  return models::make_model<DistillerImpl>(teacher, student, std::move(losses), options).model_impl();
}

}  // namespace

Distiller::Distiller(const models::Model& teacher, const models::Model& student,
                     const std::vector<DistillationLoss>& distillation_losses, const DistillerOptions& options)
    : Model(make(teacher, student, distillation_losses, options)) {}

Distiller::Distiller(const models::Model& teacher, const models::Model& student,
                     const DistillationLoss& distillation_loss, const DistillerOptions& options)
    : Distiller(teacher, student, std::vector<DistillationLoss>{distillation_loss}, options) {}

Distiller Distiller::from_config(const io::Json& config) {
  DistillerOptions options;
  std::vector<DistillationLoss> losses;
  for (const io::Json& loss : config["distillation_losses"]) losses.push_back(deserialize(loss));
  for (const io::Json& weight : config["distillation_loss_weights"]) {
    options.distillation_loss_weights.push_back(weight.as_double());
  }
  options.student_loss_weight = config.get_or("student_loss_weight", options.student_loss_weight);
  options.name = config.get_or("name", "distiller");
  options.trainable = config.get_or("trainable", true);
  ConfigReader reader("layer", "Distiller", config);
  reader.policy("dtype", options.dtype);
  return {saving::deserialize_model(config["teacher"], true), saving::deserialize_model(config["student"], true),
          losses, options};
}

void Distiller::compile(const DistillerCompileOptions& options) const {
  Model::compile({.optimizer = options.optimizer,
                  .loss = options.loss,
                  .loss_weights = options.loss_weights,
                  .metrics = options.metrics,
                  .weighted_metrics = options.weighted_metrics,
                  .run_eagerly = options.run_eagerly,
                  .steps_per_execution = options.steps_per_execution,
                  .auto_scale_loss = options.auto_scale_loss});
}

models::Model Distiller::teacher() const { return impl_of(*this).teacher(); }

models::Model Distiller::student() const { return impl_of(*this).student(); }

std::vector<DistillationLoss> Distiller::distillation_losses() const { return impl_of(*this).distillation_losses(); }

std::vector<double> Distiller::distillation_loss_weights() const { return impl_of(*this).distillation_loss_weights(); }

double Distiller::student_loss_weight() const { return impl_of(*this).student_loss_weight(); }

}  // namespace rhyton::distillation
