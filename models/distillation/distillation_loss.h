#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <rhyton/framework/io/json/json.h>
#include <rhyton/framework/tensor/tensor.h>
#include <rhyton/models/model.h>

namespace rhyton::distillation {

/// The implementation of a distillation loss, shared by its handles (`DistillationLoss`, `LogitsDistillation`, …). A
/// custom one derives from this class, overrides `class_name` and `compute_loss`, and is wrapped by
/// `make_distillation_loss<Mine>(…)`.
class DistillationLossImpl {
 public:
  DistillationLossImpl() = default;
  virtual ~DistillationLossImpl();
  DistillationLossImpl(const DistillationLossImpl&) = delete;
  DistillationLossImpl& operator=(const DistillationLossImpl&) = delete;

  /// The class name, "LogitsDistillation", under which files have it.
  virtual std::string class_name() const = 0;
  /// The loss, a scalar, between the outputs of the teacher and those of the student, computed with ops: one tensor
  /// [batch, …] per output of the model, or of the layers that are compared.
  virtual Tensor compute_loss(const std::vector<Tensor>& teacher_outputs,
                              const std::vector<Tensor>& student_outputs) const = 0;
  /// Called with the outputs before `compute_loss`. Throws ValueError if they do not fit each other: by default, if
  /// their numbers differ.
  virtual void validate_outputs(const std::vector<Tensor>& teacher_outputs,
                                const std::vector<Tensor>& student_outputs) const;
  /// Called when a distiller is made. Throws ValueError if the models do not fit this loss. By default all do.
  virtual void validate_model_compatibility(const models::Model& teacher, const models::Model& student) const;
  /// The names of the layers whose outputs are compared; empty for the outputs of the model.
  virtual const std::string& teacher_layer_name() const;
  virtual const std::string& student_layer_name() const;
  /// The constructor arguments, in Keras's keys. Throws NotImplementedError unless it is overridden.
  virtual io::Json get_config() const;
};

/// A loss that measures how far the outputs of a student are from those of its teacher: a handle; copies are the same
/// loss. See `Distiller`. (`keras.distillation.DistillationLoss`)
class DistillationLoss {
 public:
  /// No loss.
  DistillationLoss() = default;
  explicit DistillationLoss(std::shared_ptr<DistillationLossImpl> impl) : impl_(std::move(impl)) {}

  /// See `DistillationLossImpl`. Throw RuntimeError for an empty handle.
  Tensor compute_loss(const std::vector<Tensor>& teacher_outputs, const std::vector<Tensor>& student_outputs) const {
    return require_impl().compute_loss(teacher_outputs, student_outputs);
  }
  void validate_outputs(const std::vector<Tensor>& teacher_outputs, const std::vector<Tensor>& student_outputs) const {
    require_impl().validate_outputs(teacher_outputs, student_outputs);
  }
  void validate_model_compatibility(const models::Model& teacher, const models::Model& student) const {
    require_impl().validate_model_compatibility(teacher, student);
  }
  const std::string& teacher_layer_name() const { return require_impl().teacher_layer_name(); }
  const std::string& student_layer_name() const { return require_impl().student_layer_name(); }
  std::string class_name() const { return require_impl().class_name(); }
  io::Json get_config() const { return require_impl().get_config(); }

  bool is_empty() const { return impl_ == nullptr; }
  const std::shared_ptr<DistillationLossImpl>& impl() const { return impl_; }

 protected:
  const DistillationLossImpl& require_impl() const;

  std::shared_ptr<DistillationLossImpl> impl_;
};

/// Wraps a custom distillation loss: `DistillationLoss loss = make_distillation_loss<Relations>(0.5);`
template <std::derived_from<DistillationLossImpl> Impl, class... Arguments>
DistillationLoss make_distillation_loss(Arguments&&... arguments) {
  return DistillationLoss(std::make_shared<Impl>(std::forward<Arguments>(arguments)...));
}

/// The loss in the form of `config.json`, as Keras writes it.
io::Json serialize(const DistillationLoss& loss);
/// Creates the loss that `serialize`, or Keras, has written. Throws TypeError for an unknown class.
DistillationLoss deserialize(const io::Json& serialized);
/// Registers a custom distillation loss for `deserialize`. Files name it "package>class_name".
void register_distillation_loss(const std::string& class_name,
                                std::function<DistillationLoss(const io::Json& config)> factory,
                                const std::string& package = "Custom");

}  // namespace rhyton::distillation
