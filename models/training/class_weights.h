#pragma once

#include <cstdint>
#include <map>

#include <rhyton/framework/tensor/tensor.h>

namespace rhyton::training {

/// The weight of each sample, float32 [samples], by its class. `y` has class numbers, [samples] or [samples, 1], or
/// class probabilities, [samples, classes], of which the largest determines the class. Classes that are not in the map
/// have weight 1, as in Keras.
Tensor sample_weights_from_classes(const Tensor& y, const std::map<std::int64_t, double>& class_weight);

}  // namespace rhyton::training
