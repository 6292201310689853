#include <rhyton/models/distillation/feature_distillation.h>

#include <algorithm>
#include <cstddef>

#include <rhyton/framework/error.h>
#include <rhyton/models/distillation/output_losses.h>
#include <rhyton/models/model_impl.h>

namespace rhyton::distillation {
namespace {

void require_layer(const models::Model& model, const std::string& role, const std::string& layer_name) {
  if (layer_name.empty()) return;
  try {
    static_cast<void>(model.get_layer(layer_name));
  } catch (const ValueError& error) {
    throw ValueError("In " + role + " model: " + error.what());
  }
}

io::Json name_to_config(const std::string& name) { return name.empty() ? io::Json() : io::Json(name); }

class FeatureDistillationImpl final : public DistillationLossImpl {
 public:
  explicit FeatureDistillationImpl(const FeatureDistillationOptions& options)
      : options_(options), losses_(flat_losses(options.loss)) {
    if (std::all_of(losses_.begin(), losses_.end(), [](const losses::Loss& loss) { return loss.is_empty(); })) {
      throw ValueError("The `loss` argument in `FeatureDistillation` must contain at least one non-`None` value.");
    }
  }

  std::string class_name() const override { return "FeatureDistillation"; }
  const std::string& teacher_layer_name() const override { return options_.teacher_layer_name; }
  const std::string& student_layer_name() const override { return options_.student_layer_name; }

  void validate_model_compatibility(const models::Model& teacher, const models::Model& student) const override {
    if (options_.teacher_layer_name.empty() && options_.student_layer_name.empty()) return;
    std::string subclassed = teacher.model_impl()->graph() == nullptr ? "teacher" : "";
    if (student.model_impl()->graph() == nullptr) subclassed += subclassed.empty() ? "student" : " and student";
    if (!subclassed.empty()) {
      throw ValueError("FeatureDistillation with specific layer names requires Functional or Sequential models. The " +
                       subclassed +
                       " model(s) appear to be subclassed (no symbolic inputs/outputs). Either use "
                       "Functional/Sequential models, or use FeatureDistillation without layer names (to distill final "
                       "outputs only), or use LogitsDistillation instead.");
    }
    require_layer(teacher, "teacher", options_.teacher_layer_name);
    require_layer(student, "student", options_.student_layer_name);
  }

  void validate_outputs(const std::vector<Tensor>& teacher_outputs,
                        const std::vector<Tensor>& student_outputs) const override {
    DistillationLossImpl::validate_outputs(teacher_outputs, student_outputs);
    if (losses_.size() == teacher_outputs.size()) return;
    throw ValueError("Loss structure mismatch. Loss structure: " + structure_of(options_.loss) +
                     ", output structure: " + std::to_string(teacher_outputs.size()) + " outputs.");
  }

  Tensor compute_loss(const std::vector<Tensor>& teacher_outputs,
                      const std::vector<Tensor>& student_outputs) const override {
    validate_outputs(teacher_outputs, student_outputs);
    return sum_over_outputs(
        losses_, [&](std::size_t i) { return mean_of_loss(losses_[i], teacher_outputs[i], student_outputs[i]); });
  }

  io::Json get_config() const override {
    return io::Json::object({{"loss", losses_to_config(options_.loss)},
                             {"teacher_layer_name", name_to_config(options_.teacher_layer_name)},
                             {"student_layer_name", name_to_config(options_.student_layer_name)}});
  }

 private:
  FeatureDistillationOptions options_;
  std::vector<losses::Loss> losses_;
};

}  // namespace

FeatureDistillation::FeatureDistillation(const FeatureDistillationOptions& options)
    : DistillationLoss(std::make_shared<FeatureDistillationImpl>(options)) {}

FeatureDistillation FeatureDistillation::from_config(const io::Json& config) {
  FeatureDistillationOptions options;
  if (const io::Json* const loss = config.find("loss")) options.loss = losses_from_config(*loss);
  options.teacher_layer_name = config.get_or("teacher_layer_name", "");
  options.student_layer_name = config.get_or("student_layer_name", "");
  return FeatureDistillation(options);
}

}  // namespace rhyton::distillation
