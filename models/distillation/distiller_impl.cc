#include <rhyton/models/distillation/distiller_impl.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/models/distillation/output_losses.h>
#include <rhyton/models/saving/model_config.h>

namespace rhyton::distillation {
namespace {

using layers::SymbolicTensor;
using models::Model;

void require_same_shape(const Shape& teacher, const Shape& student, const std::string& what) {
  if (teacher.rank() != student.rank()) {
    throw ValueError("Teacher and student " + what + " shapes have different dimensions. Teacher: " +
                     teacher.to_string() + ", Student: " + student.to_string() + ".");
  }
  for (int axis = 0; axis < teacher.rank(); ++axis) {
    const std::int64_t a = teacher[axis];
    const std::int64_t b = student[axis];
    if (a < 0 || b < 0 || a == b) continue;
    throw ValueError("Teacher and student " + what + " shapes are incompatible. Teacher: " + teacher.to_string() +
                     ", Student: " + student.to_string() + ". All dimensions must match.");
  }
}

void require_same_specs(const std::vector<SymbolicTensor>& teacher, const std::vector<SymbolicTensor>& student,
                        const std::string& what) {
  if (teacher.size() != student.size()) {
    throw ValueError("Teacher and student must have the same number of " + what + "s. Teacher: " +
                     std::to_string(teacher.size()) + ", Student: " + std::to_string(student.size()) + ".");
  }
  for (std::size_t i = 0; i < teacher.size(); ++i) require_same_shape(teacher[i].shape(), student[i].shape(), what);
}

void require_same_dtypes(const std::vector<SymbolicTensor>& teacher, const std::vector<SymbolicTensor>& student,
                         const std::string& what) {
  for (std::size_t i = 0; i < teacher.size(); ++i) {
    const DType a = teacher[i].spec().dtype;
    const DType b = student[i].spec().dtype;
    if (a == b) continue;
    throw ValueError("Teacher and student " + what + " dtypes must match. Teacher: " + std::string(name_of(a)) +
                     ", Student: " + std::string(name_of(b)) + ".");
  }
}

/// Models with a `call` of their own are not checked.
void require_compatible(const Model& teacher, const Model& student) {
  if (teacher.model_impl()->graph() == nullptr || student.model_impl()->graph() == nullptr) return;
  require_same_specs(teacher.inputs(), student.inputs(), "input");
  require_same_specs(teacher.outputs(), student.outputs(), "output");
  require_same_dtypes(teacher.inputs(), student.inputs(), "input");
  require_same_dtypes(teacher.outputs(), student.outputs(), "output");
}

const Model& required(const Model& model, const std::string& role) {
  if (model.is_empty()) throw ValueError(role + " must be a model, got an empty handle");
  return model;
}

void add_name(std::vector<std::string>& names, const std::string& name) {
  if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

layers::LayerOptions layer_options(const DistillerOptions& options) {
  return {.name = options.name, .dtype = options.dtype, .trainable = options.trainable};
}

}  // namespace

DistillerImpl::DistillerImpl(const Model& teacher, const Model& student, std::vector<DistillationLoss> losses,
                             const DistillerOptions& options)
    : ModelImpl(layer_options(options)),
      losses_(std::move(losses)),
      weights_(options.distillation_loss_weights),
      student_loss_weight_(options.student_loss_weight) {
  require_compatible(required(teacher, "Teacher"), required(student, "Student"));
  if (!(student_loss_weight_ >= 0.0 && student_loss_weight_ <= 1.0)) {
    throw ValueError("student_loss_weight must be between 0.0 and 1.0, got " + io::Json(student_loss_weight_).dump());
  }
  if (weights_.empty()) weights_.assign(losses_.size(), 1.0);
  if (weights_.size() != losses_.size()) {
    throw ValueError("Number of distillation_loss_weights (" + std::to_string(weights_.size()) +
                     ") must match number of distillation_losses (" + std::to_string(losses_.size()) + ")");
  }
  std::vector<std::string> of_teacher;
  std::vector<std::string> of_student;
  for (const DistillationLoss& loss : losses_) {
    loss.validate_model_compatibility(teacher, student);
    add_name(of_teacher, loss.teacher_layer_name());
    add_name(of_student, loss.student_layer_name());
  }
  teacher_features_ = FeatureExtractor(teacher, of_teacher);
  student_features_ = FeatureExtractor(student, of_student);
  teacher_ = track("teacher", teacher);
  student_ = track("student", student);
  teacher_.set_trainable(false);
  student_loss_tracker_ = track("student_loss_tracker", metrics::Mean({.name = "student_loss"}));
  distillation_loss_tracker_ = track("distillation_loss_tracker", metrics::Mean({.name = "distillation_loss"}));
  total_loss_tracker_ = track("total_loss_tracker", metrics::Mean({.name = "total_loss"}));
}

models::CompileOptions DistillerImpl::compile_arguments(const models::CompileOptions& options) {
  if (options.loss.is_empty()) throw ValueError("'loss' cannot be `None`.");
  student_loss_ = options.loss;
  models::CompileOptions others = options;
  others.loss = models::LossArgument();
  return others;
}

std::vector<Tensor> DistillerImpl::call(const std::vector<Tensor>& inputs, bool training) {
  return student_.call_many(inputs, {.training = training});
}

Tensor DistillerImpl::student_loss(const std::vector<Tensor>& y, const std::vector<Tensor>& y_pred) const {
  const std::vector<losses::Loss> losses = flat_losses(student_loss_);
  if (losses.size() != y.size() || losses.size() != y_pred.size()) {
    throw ValueError("Distiller '" + name() + "': the loss of `compile` is " + structure_of(student_loss_) +
                     ", but the student has " + std::to_string(y_pred.size()) + " outputs and `y` " +
                     std::to_string(y.size()) + " targets.");
  }
  if (losses.size() == 1) return mean_of_loss(losses[0], y[0], y_pred[0]);
  Tensor total;
  for (std::size_t i = 0; i < losses.size(); ++i) {
    if (losses[i].is_empty()) {
      throw ValueError("Distiller '" + name() + "': each output of the student needs a loss. Output " +
                       std::to_string(i) + " has none.");
    }
    // As in Keras, the values of functions are added over the batch where there are several outputs.
    const Tensor loss = is_function(losses[i]) ? sum(losses[i].call(y[i], y_pred[i])) : losses[i](y[i], y_pred[i]);
    total = total.is_empty() ? loss : total + loss;
  }
  return total;
}

Tensor DistillerImpl::distillation_loss(const std::vector<Tensor>& x, const std::vector<Tensor>& y_pred) const {
  const std::vector<Tensor> of_teacher =
      teacher_features_.is_empty() ? teacher_.call_many(x, {.training = false}) : teacher_features_(x, false);
  const std::vector<Tensor> of_student = student_features_.is_empty() ? y_pred : student_features_(x, true);
  Tensor total = Tensor::scalar(0.0f);
  for (std::size_t i = 0; i < losses_.size(); ++i) {
    const DistillationLoss& loss = losses_[i];
    const bool compares_layers = !loss.teacher_layer_name().empty();
    const std::vector<Tensor> teacher_outputs = teacher_features_.features(of_teacher, loss.teacher_layer_name());
    const std::vector<Tensor> student_outputs =
        compares_layers ? student_features_.features(of_student, loss.student_layer_name()) : y_pred;
    loss.validate_outputs(teacher_outputs, student_outputs);
    const Tensor value = loss.compute_loss(teacher_outputs, student_outputs);
    if (value.is_empty() || value.rank() != 0) {
      throw ValueError("Distillation loss " + loss.class_name() + " returned a non-scalar loss with shape " +
                       (value.is_empty() ? "None" : value.shape().to_string()) +
                       ". The compute_loss method must return a scalar tensor.");
    }
    total = total + weights_[i] * value;
  }
  return total;
}

Tensor DistillerImpl::compute_loss(const models::LossArguments& arguments) {
  const std::vector<Tensor> y_pred =
      arguments.y_pred.empty() ? invoke(arguments.x, {.training = arguments.training}) : arguments.y_pred;
  Tensor of_student = Tensor::scalar(0.0f);
  if (student_loss_weight_ > 0.0 && !arguments.y.empty()) of_student = student_loss(arguments.y, y_pred);
  Tensor of_distillation = Tensor::scalar(0.0f);
  if (student_loss_weight_ < 1.0) of_distillation = distillation_loss(arguments.x, y_pred);
  Tensor total = student_loss_weight_ * of_student + (1.0 - student_loss_weight_) * of_distillation;
  student_loss_tracker_.update_state(of_student);
  distillation_loss_tracker_.update_state(of_distillation);
  total_loss_tracker_.update_state(total);
  return total;
}

io::Json DistillerImpl::get_config() const {
  io::Json config = ModelImpl::get_config();
  config["teacher"] = saving::serialize_model(teacher_);
  config["student"] = saving::serialize_model(student_);
  io::Json losses = io::Json::array();
  for (const DistillationLoss& loss : losses_) losses.push_back(serialize(loss));
  config["distillation_losses"] = losses;
  config["distillation_loss_weights"] = io::Json::array_from(weights_);
  config["student_loss_weight"] = student_loss_weight_;
  return config;
}

}  // namespace rhyton::distillation
