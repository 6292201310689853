#pragma once

#include <rhyton/models/losses/loss.h>

namespace rhyton::losses {

/// For each sample -ln of the probability of its labels, wherever they are in the output: `ops::ctc_loss` with class 0
/// as the blank. y_true [batch, labels] holds classes from 1 on, and zeros behind the last label of a sample; y_pred
/// [batch, length, classes] logits, all of which count. Throws ValueError in Keras's words for other ranks.
/// (`keras.losses.ctc`)
Tensor ctc(const Tensor& y_true, const Tensor& y_pred);

/// See `ctc`. https://keras.io/api/losses/ctc_losses/#ctc-class
class CTC : public Loss {
 public:
  explicit CTC(const LossOptions& options = {});
};

}  // namespace rhyton::losses
