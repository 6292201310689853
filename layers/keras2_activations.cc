#include <rhyton/layers/keras2_activations.h>

#include <rhyton/framework/ops/elementwise.h>

namespace rhyton::layers {

Tensor keras2_hard_sigmoid(const Tensor& x) {
  return ops::clip_by_value(ops::add(ops::multiply(x, 0.2), 0.5), 0.0, 1.0);
}

}  // namespace rhyton::layers
