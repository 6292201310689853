#pragma once

#include <cstdint>
#include <map>

#include <rhyton/framework/tensor/tensor.h>

namespace rhyton::training {

/// One weight per sample, float32 [samples], from the weights of the classes: `y` holds class numbers, [samples] or
/// [samples, 1], or one row of class probabilities per sample, whose largest counts. Classes that are not in the map
/// weigh 1, as in Keras.
Tensor sample_weights_from_classes(const Tensor& y, const std::map<std::int64_t, double>& class_weight);

}  // namespace rhyton::training
