#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <rhyton/framework/by_name.h>
#include <rhyton/framework/tensor/tensor.h>

// The functions of keras.quantizers: numbers as small integers with a scale, and back. See
// https://keras.io/api/quantizers.

namespace rhyton::quantizers {

/// The smallest and the largest number of quantized values.
struct ValueRange {
  double lowest;
  double highest;

  ValueRange(double first, double last) : lowest(first), highest(last) {}
  friend bool operator==(const ValueRange&, const ValueRange&) = default;
};

/// Fields in the order of Keras's signature.
struct AbsMaxQuantizeOptions {
  ByName by_name = ByName();
  ValueRange value_range = ValueRange(-127, 127);
  /// Of the quantized values.
  DType dtype = DType::int8;
  /// Added to the largest absolute value; `config::epsilon()` if it is not given.
  std::optional<double> epsilon = std::nullopt;
};

struct AbsMaxQuantized {
  /// round(x · scale), limited to the range.
  Tensor outputs;
  /// highest / (largest absolute value + epsilon), in the dtype of x, whose rank it has: `axis` has length 1.
  Tensor scale;
};

/// Quantizes x by the largest absolute value along `axis` (at least one): x is about outputs / scale.
AbsMaxQuantized abs_max_quantize(const Tensor& inputs, const std::vector<int>& axis,
                                 const AbsMaxQuantizeOptions& options = {});

/// Fields in the order of Keras's signature.
struct FakeQuantOptions {
  ByName by_name = ByName();
  /// The bits of quantized values: 2 to 16.
  int num_bits = 8;
  /// Quantized values from 1 instead of 0.
  bool narrow_range = false;
  /// The axis of channels, if `min_vals` and `max_vals` are vectors with a number for each channel.
  std::optional<int> axis = std::nullopt;
};

/// x limited to [min, max], quantized to 2^num_bits values and back, in the dtype of x. The range is shifted so that 0 is
/// one of the values. The gradient of x is that of the output within the range and 0 outside; min and max get the sums
/// of the others. Throws ValueError for another number of bits or shapes of min_vals and max_vals that do not fit.
Tensor fake_quant_with_min_max_vars(const Tensor& inputs, const Tensor& min_vals, const Tensor& max_vals,
                                    const FakeQuantOptions& options = {});

/// The next scale for an array whose recent largest absolute value is `amax`: amax / dtype_max · 2^margin, or the old one
/// where amax is 0 or not finite.
Tensor compute_float8_scale(const Tensor& amax, const Tensor& scale, const Tensor& dtype_max, int margin = 0);

/// The history (a vector), rotated by one, with the largest absolute value of x in place of its oldest element.
Tensor compute_float8_amax_history(const Tensor& x, const Tensor& amax_history);

/// x / scale rounded to a number of `quantized_dtype` ("float8_e4m3fn" or "float8_e5m2"), times scale. No gradient
/// passes the rounding. Throws ValueError for another dtype.
Tensor quantize_and_dequantize(const Tensor& inputs, const Tensor& scale, std::string_view quantized_dtype,
                               DType compute_dtype);

struct PackedInt4 {
  /// Two numbers in a byte: of elements 2 i and 2 i + 1, the first is in the lower four bits.
  Tensor packed;
  Shape packed_shape;
  /// The length of the axis before it was packed.
  std::int64_t orig_len = 0;
};

/// Packs numbers from -8 to 7 along an axis, which is padded to an even length with 0. Throws ValueError unless `dtype` is
/// int8 or uint8, TypeError unless it is the dtype of the array.
PackedInt4 pack_int4(const Tensor& arr, int axis = 0, DType dtype = DType::int8);

/// The first `orig_len` numbers that were packed along an axis: from -8 to 7 for int8, from 0 to 15 for uint8. Throws
/// ValueError unless `dtype` is int8 or uint8, TypeError unless the array has one of these dtypes.
Tensor unpack_int4(const Tensor& packed, std::int64_t orig_len, int axis = 0, DType dtype = DType::int8);

}  // namespace rhyton::quantizers
