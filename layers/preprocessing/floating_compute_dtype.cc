#include <rhyton/layers/preprocessing/floating_compute_dtype.h>

#include <string>

#include <rhyton/framework/error.h>

namespace rhyton::layers {

void require_floating_compute_dtype(const LayerImpl& layer) {
  if (is_floating(layer.compute_dtype())) return;
  throw ValueError(
      "Layer '" + layer.name() + "' of class " + layer.class_name() +
      " computes with fractions, so that its dtype must be a floating one. Received: dtype=" + layer.dtype_policy());
}

}  // namespace rhyton::layers
