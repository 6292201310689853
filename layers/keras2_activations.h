#pragma once

#include <rhyton/framework/tensor/tensor.h>

// Activations of Keras 2 whose names mean other functions in Keras 3. Models that are read from its files have them.

namespace rhyton::layers {

/// The name of `keras2_hard_sigmoid` in configurations.
inline constexpr const char* keras2_hard_sigmoid_name = "keras2_hard_sigmoid";

/// min(max(0.2 x + 0.5, 0), 1): "hard_sigmoid" in Keras 1 and 2 and `tf.keras`, where recurrent layers had it by
/// default before TensorFlow 2.0, and ConvLSTM layers always had it. The line of Keras 3's "hard_sigmoid" has the slope
/// 1/6. Keras 3 has no such function: it reads files with it with `custom_objects`.
Tensor keras2_hard_sigmoid(const Tensor& x);

}  // namespace rhyton::layers
