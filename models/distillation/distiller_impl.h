#pragma once

#include <string>
#include <vector>

#include <rhyton/models/distillation/distiller.h>
#include <rhyton/models/distillation/feature_extractor.h>
#include <rhyton/models/metrics/reduction.h>
#include <rhyton/models/model_impl.h>

namespace rhyton::distillation {

/// The implementation of a Distiller.
class DistillerImpl final : public models::ModelImpl {
 public:
  DistillerImpl(const models::Model& teacher, const models::Model& student, std::vector<DistillationLoss> losses,
                const DistillerOptions& options);

  std::string class_name() const override { return "Distiller"; }
  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool training) override;
  Tensor compute_loss(const models::LossArguments& arguments) override;
  /// Keeps the loss, which `compute_loss` uses.
  models::CompileOptions compile_arguments(const models::CompileOptions& options) override;
  bool compiles_from_config() const override { return false; }
  std::vector<std::string> input_names() const override { return student_.input_names(); }
  std::vector<std::string> output_names() const override { return student_.output_names(); }
  io::Json get_config() const override;

  const models::Model& teacher() const { return teacher_; }
  const models::Model& student() const { return student_; }
  const std::vector<DistillationLoss>& distillation_losses() const { return losses_; }
  const std::vector<double>& distillation_loss_weights() const { return weights_; }
  double student_loss_weight() const { return student_loss_weight_; }

 private:
  Tensor student_loss(const std::vector<Tensor>& y, const std::vector<Tensor>& y_pred) const;
  Tensor distillation_loss(const std::vector<Tensor>& x, const std::vector<Tensor>& y_pred) const;

  models::Model teacher_ = {};
  models::Model student_ = {};
  std::vector<DistillationLoss> losses_;
  std::vector<double> weights_;
  double student_loss_weight_;
  FeatureExtractor teacher_features_;
  FeatureExtractor student_features_;
  models::LossArgument student_loss_ = {};
  metrics::Mean student_loss_tracker_;
  metrics::Mean distillation_loss_tracker_;
  metrics::Mean total_loss_tracker_;
};

}  // namespace rhyton::distillation
