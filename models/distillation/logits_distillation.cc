#include <rhyton/models/distillation/logits_distillation.h>

#include <algorithm>
#include <cstddef>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/softmax.h>
#include <rhyton/models/distillation/output_losses.h>

namespace rhyton::distillation {
namespace {

class LogitsDistillationImpl final : public DistillationLossImpl {
 public:
  explicit LogitsDistillationImpl(const LogitsDistillationOptions& options)
      : options_(options), losses_(flat_losses(options.loss)) {
    if (std::all_of(losses_.begin(), losses_.end(), [](const losses::Loss& loss) { return loss.is_empty(); })) {
      throw ValueError("At least one loss must be non-`None`.");
    }
    if (!(options.temperature > 0.0)) throw ValueError("temperature must be positive.");
  }

  std::string class_name() const override { return "LogitsDistillation"; }

  Tensor compute_loss(const std::vector<Tensor>& teacher_outputs,
                      const std::vector<Tensor>& student_outputs) const override {
    validate_outputs(teacher_outputs, student_outputs);
    if (losses_.size() != teacher_outputs.size()) {
      throw ValueError("Loss structure mismatch. LogitsDistillation has " + structure_of(options_.loss) +
                       ", but received " + std::to_string(teacher_outputs.size()) + " outputs.");
    }
    return sum_over_outputs(losses_,
                            [&](std::size_t i) { return loss_of(losses_[i], teacher_outputs[i], student_outputs[i]); });
  }

  io::Json get_config() const override {
    return io::Json::object({{"temperature", options_.temperature}, {"loss", losses_to_config(options_.loss)}});
  }

 private:
  Tensor loss_of(const losses::Loss& loss, const Tensor& teacher, const Tensor& student) const {
    const double temperature = options_.temperature;
    const Tensor teacher_scaled = teacher / temperature;
    const Tensor student_scaled = student / temperature;
    if (loss.class_name() != "KLDivergence") return mean_of_loss(loss, teacher_scaled, student_scaled);
    return mean_of_loss(loss, softmax(teacher_scaled), softmax(student_scaled)) * (temperature * temperature);
  }

  LogitsDistillationOptions options_;
  std::vector<losses::Loss> losses_;
};

}  // namespace

LogitsDistillation::LogitsDistillation(const LogitsDistillationOptions& options)
    : DistillationLoss(std::make_shared<LogitsDistillationImpl>(options)) {}

LogitsDistillation LogitsDistillation::from_config(const io::Json& config) {
  LogitsDistillationOptions options;
  if (const io::Json* const temperature = config.find("temperature")) options.temperature = temperature->as_double();
  if (const io::Json* const loss = config.find("loss")) options.loss = losses_from_config(*loss);
  return LogitsDistillation(options);
}

}  // namespace rhyton::distillation
