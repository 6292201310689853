#include <rhyton/models/losses/loss.h>

#include <rhyton/framework/context.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/serialization/config_writer.h>
#include <rhyton/framework/serialization/keras_names.h>
#include <rhyton/models/losses/function_loss.h>
#include <rhyton/models/losses/reduction.h>
#include <rhyton/optimizers/class_names.h>

namespace rhyton::losses {

LossImpl::LossImpl(std::string class_name, const LossOptions& options)
    : class_name_(std::move(class_name)),
      name_(options.name.empty() ? automatic_name(class_name_) : options.name),
      reduction_(options.reduction),
      dtype_(dtype_from_name(options.dtype.empty() ? context().floatx() : options.dtype)) {
  check_reduction(reduction_);
}

LossImpl::~LossImpl() = default;

io::Json LossImpl::get_config() const { return written(LossOptions{.reduction = reduction_, .name = name_}); }

Loss::Loss(const std::string& identifier) {
  impl_ = find_named_loss(identifier).impl();
  if (impl_ == nullptr) {
    const bool is_of_keras = is_keras_name("loss", identifier) && !is_known_loss({}, identifier);
    throw ValueError("Could not interpret loss identifier: " + identifier +
                     (is_of_keras ? ". Keras has this loss, Rhyton has not." : ""));
  }
  impl_->identifier_ = identifier;
}

Loss Loss::from_pointer(const std::any& function, const std::string& name) {
  const std::optional<NamedFunction> found = find_function(function);
  if (!found) {
    throw TypeError(
        "A loss function takes `y_true` and `y_pred`. Received a function with further arguments that is not one of "
        "Keras's with defaults for them: pass a lambda that calls it.");
  }
  return make_loss<FunctionLoss>("LossFunctionWrapper", LossOptions{.name = name.empty() ? found->name : name},
                                 found->function, io::Json::object(), found->casts_labels);
}

Loss Loss::from_function(LossFunction function, std::string name) {
  if (name.empty()) {
    const std::optional<NamedFunction> found = find_function(function);
    name = found ? found->name : "loss_function";
  }
  return make_loss<FunctionLoss>("LossFunctionWrapper", LossOptions{.name = std::move(name)}, std::move(function));
}

Tensor Loss::call(const Tensor& y_true, const Tensor& y_pred) const {
  const DType dtype = impl_->dtype();
  return impl_->call(impl_->casts_labels() ? cast(y_true, dtype) : y_true, cast(y_pred, dtype));
}

Tensor Loss::operator()(const Tensor& y_true, const Tensor& y_pred, const Tensor& sample_weight,
                        const Tensor& mask) const {
  const DType dtype = impl_->dtype();
  const Tensor labels = impl_->casts_labels() ? cast(y_true, dtype) : y_true;
  const Tensor predictions = cast(y_pred, dtype);
  const Tensor called = impl_->call(labels, predictions);
  const Tensor values = cast(called, dtype);
  const Tensor own_mask = called.mask();
  const Tensor given_mask = mask.is_empty() ? y_pred.mask() : mask;
  Tensor whole_mask = given_mask.is_empty() ? own_mask : given_mask;
  if (!given_mask.is_empty() && !own_mask.is_empty()) {
    whole_mask = logical_and(cast(given_mask, DType::bool_), own_mask);
  }
  return reduce_weighted_values(values, sample_weight, whole_mask, impl_->reduction());
}

}  // namespace rhyton::losses
