#include <rhyton/models/training/class_weights.h>

#include <vector>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/shaping.h>

namespace rhyton::training {

Tensor sample_weights_from_classes(const Tensor& y, const std::map<std::int64_t, double>& class_weight) {
  Tensor labels = y;
  if (y.rank() == 2 && y.shape()[1] > 1) labels = argmax(y, -1);
  if (labels.rank() == 2) labels = labels.reshape({labels.shape()[0]});
  if (labels.rank() != 1) {
    throw ValueError(
        "`class_weight` must contain all classes in the data: it is only supported for labels of shape "
        "(samples,), (samples, 1) or (samples, classes). Received y.shape=" +
        y.shape().to_string());
  }
  if (is_floating(labels.dtype())) labels = round(labels);
  labels = labels.cast(int64);
  std::vector<float> weights;
  weights.reserve(static_cast<std::size_t>(labels.size()));
  for (const std::int64_t label : labels.elements<std::int64_t>()) {
    const auto it = class_weight.find(label);
    weights.push_back(it == class_weight.end() ? 1.0F : static_cast<float>(it->second));
  }
  return Tensor::from_data<float>(labels.shape(), weights);
}

}  // namespace rhyton::training
