#pragma once

#include <cstdint>

#include <rhyton/framework/tensor/tensor.h>

// Windows of keras.ops for sequences, symmetric: `x` numbers that rise from the ends to the middle. 1 for a window of
// one number. Throw InvalidArgumentError for a negative `x`.

namespace rhyton {
inline namespace ops {

/// A triangle, in `floatx()`. (keras.ops.bartlett)
Tensor bartlett(std::int64_t x);
/// 0.42 - 0.5 cos(2πn / (x - 1)) + 0.08 cos(4πn / (x - 1)), in `floatx()`. (keras.ops.blackman)
Tensor blackman(std::int64_t x);
/// 0.54 - 0.46 cos(2πn / (x - 1)), in float32. (keras.ops.hamming)
Tensor hamming(std::int64_t x);
/// 0.5 - 0.5 cos(2πn / (x - 1)), in float32. (keras.ops.hanning)
Tensor hanning(std::int64_t x);
/// i0(β √(1 - r²)) / i0(β), where r goes from -1 to 1, in float32. Throws InvalidArgumentError for an `x` of 0, too.
/// (keras.ops.kaiser)
Tensor kaiser(std::int64_t x, double beta);

}  // namespace ops
}  // namespace rhyton
