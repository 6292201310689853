#pragma once

#include <rhyton/layers/initializers.h>

namespace rhyton::layers {

/// The initializer of the biases of four gates side by side (Keras's `unit_forget_bias`): ones for the second one, the
/// gate that forgets, `others` for the first and, together, for the last two.
Initializer with_forget_bias(const Initializer& others);

}  // namespace rhyton::layers
