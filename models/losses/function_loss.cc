#include <rhyton/models/losses/function_loss.h>

#include <rhyton/models/losses/reduction.h>

namespace rhyton::losses {

FunctionLoss::FunctionLoss(std::string class_name, const LossOptions& options, LossFunction function,
                           io::Json arguments, bool casts_labels)
    : LossImpl(std::move(class_name), options),
      function_(std::move(function)),
      arguments_(std::move(arguments)),
      casts_labels_(casts_labels) {}

Tensor FunctionLoss::call(const Tensor& y_true, const Tensor& y_pred) const {
  const auto [labels, predictions] = squeeze_or_expand_to_same_rank(y_true, y_pred);
  return function_(labels, predictions);
}

io::Json FunctionLoss::get_config() const {
  io::Json config = LossImpl::get_config();
  for (const auto& [key, value] : arguments_.items()) config[key] = value;
  return config;
}

}  // namespace rhyton::losses
