#include <rhyton/models/losses/ctc.h>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/ctc.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/models/losses/function_loss.h>

namespace rhyton::losses {

Tensor ctc(const Tensor& y_true, const Tensor& y_pred) {
  if (y_true.rank() != 2) {
    throw ValueError(
        "Targets `y_true` are expected to be a tensor of shape `(batch_size, max_length)` in integer format. Received: "
        "y_true.shape=" +
        y_true.shape().to_string());
  }
  if (y_pred.rank() != 3) {
    throw ValueError(
        "Logits `y_pred` are expected to be a tensor of shape `(batch_size, max_length, num_classes)`. Received: "
        "y_pred.shape=" +
        y_pred.shape().to_string());
  }
  const Tensor lengths = sum(cast(not_equal(y_true, 0), DType::int32), {-1});
  return ctc_loss(y_true, y_pred, lengths, {});
}

CTC::CTC(const LossOptions& options) : Loss(make_loss<FunctionLoss>("CTC", named(options, "ctc"), ctc)) {}

}  // namespace rhyton::losses
