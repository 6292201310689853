#include <rhyton/framework/ops/quantization.h>

#include <cmath>
#include <string>

#include <rhyton/framework/context.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/bitcast.h>
#include <rhyton/framework/ops/broadcasting.h>
#include <rhyton/framework/ops/custom_gradient.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/integer_arithmetic.h>
#include <rhyton/framework/ops/rearranging.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/shaping.h>

namespace rhyton::quantizers {
namespace {

// --- Fake quantization, computed in float32 as by TensorFlow

/// The quantized range in numbers.
struct NudgedRange {
  Tensor lowest;
  Tensor highest;
  /// The distance of neighbouring values.
  Tensor scale;
};

/// The range, shifted so that 0 is a quantized value.
NudgedRange nudged(const Tensor& min, const Tensor& max, const FakeQuantOptions& options) {
  const double quant_min = options.narrow_range ? 1.0 : 0.0;
  const double quant_max = std::ldexp(1.0, options.num_bits) - 1.0;
  const Tensor scale = (max - min) / (quant_max - quant_min);
  // Half is rounded up: zero points are not negative.
  const Tensor zero_point = floor(clip_by_value(quant_min - min / scale, quant_min, quant_max) + 0.5);
  return {(quant_min - zero_point) * scale, (quant_max - zero_point) * scale, scale};
}

Tensor fake_quantized(const Tensor& x, const NudgedRange& range) {
  const Tensor inverse = 1.0 / range.scale;
  const Tensor quant_zero = floor(negative(range.lowest) * inverse + 0.5);
  const Tensor shifted = maximum(minimum(x, range.highest), range.lowest) - range.lowest;
  return floor(shifted * inverse - quant_zero + 0.5) * range.scale;
}

void require_channels(const char* argument, const Tensor& values, const Tensor& inputs,
                      const std::optional<int>& axis) {
  const Shape expected = axis ? Shape{inputs.shape().at(*axis)} : Shape{};
  if (axis ? values.shape() == expected : values.size() == 1) return;
  throw ValueError("`" + std::string(argument) + "` must have shape " + expected.to_string() +
                   ", a number for each channel of `inputs`. Received: " + argument +
                   ".shape=" + values.shape().to_string() + ", inputs.shape=" + inputs.shape().to_string());
}

/// The sum over all axes but those of the channels.
Tensor summed_to(const Tensor& x, const Tensor& channels) { return sum_to_shape(x, channels.shape()); }

/// With channels on the last axis, or none.
WithGradient fake_quant(const std::vector<Tensor>& arguments, const FakeQuantOptions& options) {
  const Tensor& x = arguments[0];
  const Tensor& min = arguments[1];
  const Tensor& max = arguments[2];
  const NudgedRange range = nudged(min, max, options);
  // TensorFlow's result where both limits are 0.
  const Tensor is_empty = logical_and(equal(min, 0.0), equal(max, 0.0));
  const auto gradient = [x, min, max, range, is_empty](const std::vector<Tensor>& upstream) {
    const Tensor& dy = upstream.front();
    const Tensor is_below = logical_and(less(x, range.lowest), logical_not(is_empty));
    const Tensor is_above = logical_and(greater(x, range.highest), logical_not(is_empty));
    return std::vector{where(logical_or(is_below, is_above), 0.0, dy), summed_to(where(is_below, dy, 0.0), min),
                       summed_to(where(is_above, dy, 0.0), max)};
  };
  return {{where(is_empty, 0.0, fake_quantized(x, range))}, gradient};
}

// --- Numbers of 8 bits

struct Float8 {
  double largest;
  /// The bits of the significand behind the point, and the exponent of the smallest normal number.
  int fraction_bits;
  int lowest_exponent;
};

Float8 float8_named(std::string_view name) {
  if (name == "float8_e4m3fn") return {448.0, 3, -6};
  if (name == "float8_e5m2") return {57344.0, 2, -14};
  throw ValueError("Expected `quantized_dtype` to be 'float8_e4m3fn' or 'float8_e5m2'. Received: quantized_dtype=" +
                   std::string(name));
}

/// Numbers of float32 within the range of the format, rounded to the nearest of it, ties to even.
Tensor rounded(const Tensor& x, const Float8& format) {
  constexpr int float_bits = 23;
  const int dropped = float_bits - format.fraction_bits;
  const Tensor bits = view(x, DType::int32);
  // Half of the last bit that stays, less one where that bit is 0. A carry increments the exponent.
  const Tensor is_odd =
      bitwise_and(bitwise_right_shift(bits, Tensor::scalar<std::int32_t>(dropped)), Tensor::scalar<std::int32_t>(1));
  const Tensor carried = bits + ((1 << (dropped - 1)) - 1) + is_odd;
  const Tensor normal = view(bitwise_and(carried, Tensor::scalar<std::int32_t>(-(1 << dropped))), DType::float32);
  const double step = std::ldexp(1.0, format.lowest_exponent - format.fraction_bits);
  const Tensor subnormal = round(x * (1.0 / step)) * step;
  return where(less(ops::abs(x), std::ldexp(1.0, format.lowest_exponent)), subnormal, normal);
}

// --- Numbers of 4 bits

void require_byte_dtype(DType dtype) {
  if (dtype == DType::int8 || dtype == DType::uint8) return;
  throw ValueError("Expected dtype to be 'int8' or 'uint8', but got '" + std::string(name_of(dtype)) + "'.");
}

Tensor bits_of_int4(const Tensor& x) { return bitwise_and(x, Tensor::full({}, 15, x.dtype())); }

/// Numbers from 0 to 15, of which those from 8 on are negative.
Tensor with_sign(const Tensor& x) {
  const Tensor eight = Tensor::full({}, 8, x.dtype());
  return bitwise_xor(x, eight) - eight;
}

}  // namespace

AbsMaxQuantized abs_max_quantize(const Tensor& inputs, const std::vector<int>& axis,
                                 const AbsMaxQuantizeOptions& options) {
  if (axis.empty()) throw ValueError("`axis` must name at least one axis of `inputs`. Received: axis=()");
  const double epsilon = options.epsilon.value_or(context().epsilon());
  const Tensor largest = ops::max(ops::abs(inputs), axis, true);
  const Tensor scale = cast(options.value_range.highest / (largest + epsilon), inputs.dtype());
  const Tensor scaled = round(inputs * scale);
  return {cast(clip_by_value(scaled, options.value_range.lowest, options.value_range.highest), options.dtype), scale};
}

Tensor fake_quant_with_min_max_vars(const Tensor& inputs, const Tensor& min_vals, const Tensor& max_vals,
                                    const FakeQuantOptions& options) {
  if (options.num_bits < 2 || options.num_bits > 16) {
    throw ValueError("`num_bits` must be between 2 and 16, inclusive. Received: num_bits=" +
                     std::to_string(options.num_bits));
  }
  std::optional<int> axis = options.axis;
  if (axis) axis = normalize_axis(*axis, inputs.rank());
  require_channels("min_vals", min_vals, inputs, axis);
  require_channels("max_vals", max_vals, inputs, axis);
  const auto limit = [&](const Tensor& values) {
    return cast(axis ? values : reshape(values, Shape{}), DType::float32);
  };
  const auto function =
      custom_gradient([options](const std::vector<Tensor>& arguments) { return fake_quant(arguments, options); });
  const int last = inputs.rank() - 1;
  const Tensor x = cast(axis ? swapaxes(inputs, *axis, last) : inputs, DType::float32);
  const Tensor y = cast(function({x, limit(min_vals), limit(max_vals)}).front(), inputs.dtype());
  return axis ? swapaxes(y, last, *axis) : y;
}

Tensor compute_float8_scale(const Tensor& amax, const Tensor& scale, const Tensor& dtype_max, int margin) {
  const Tensor old = reciprocal(scale);
  const Tensor next = dtype_max / amax / std::ldexp(1.0, margin);
  return reciprocal(where(isfinite(amax), where(greater(amax, 0.0), next, old), old));
}

Tensor compute_float8_amax_history(const Tensor& x, const Tensor& amax_history) {
  const Tensor update = cast(ops::max(ops::abs(x)), amax_history.dtype());
  const std::int64_t length = amax_history.size();
  return concatenate({reshape(update, {1}), roll(amax_history, -1).slice(1, length)}, 0);
}

Tensor quantize_and_dequantize(const Tensor& inputs, const Tensor& scale, std::string_view quantized_dtype,
                               DType compute_dtype) {
  const Float8 format = float8_named(quantized_dtype);
  const Tensor factor = cast(scale, compute_dtype);
  const Tensor limited = clip_by_value(inputs / factor, -format.largest, format.largest);
  const Tensor quantized = stop_gradient(rounded(cast(limited, DType::float32), format));
  return cast(quantized, compute_dtype) * factor;
}

PackedInt4 pack_int4(const Tensor& arr, int axis, DType dtype) {
  require_byte_dtype(dtype);
  if (arr.dtype() != dtype) {
    throw TypeError("Expected " + std::string(name_of(dtype)) + " tensor for packing, got " +
                    std::string(name_of(arr.dtype())) + ".");
  }
  const int position = normalize_axis(axis, arr.rank());
  Tensor rows = moveaxis(arr, position, 0);
  const std::int64_t length = rows.shape()[0];
  if (length % 2 == 1) rows = concatenate({rows, Tensor::zeros(rows.shape().with(0, 1), dtype)}, 0);
  const Tensor low = bits_of_int4(rows[{Slice(0, std::nullopt, 2)}]);
  const Tensor high = bits_of_int4(rows[{Slice(1, std::nullopt, 2)}]);
  const Tensor packed = bitwise_or(low, bitwise_left_shift(high, Tensor::full({}, 4, dtype)));
  const Tensor result = moveaxis(packed, 0, position);
  return {result, result.shape(), length};
}

Tensor unpack_int4(const Tensor& packed, std::int64_t orig_len, int axis, DType dtype) {
  require_byte_dtype(dtype);
  if (packed.dtype() != DType::int8 && packed.dtype() != DType::uint8) {
    throw TypeError("Expected int8 or uint8 tensor for unpacking, got " + std::string(name_of(packed.dtype())));
  }
  const int position = normalize_axis(axis, packed.rank());
  const Tensor rows = moveaxis(packed, position, 0);
  Tensor low = bits_of_int4(rows);
  Tensor high = bits_of_int4(bitwise_right_shift(rows, Tensor::full({}, 4, rows.dtype())));
  if (dtype == DType::int8) {
    low = with_sign(low);
    high = with_sign(high);
  }
  const Tensor pairs = stack({cast(low, dtype), cast(high, dtype)}, 1);
  const Shape shape = rows.shape().with(0, 2 * rows.shape()[0]);
  return moveaxis(reshape(pairs, shape).slice(0, orig_len), 0, position);
}

}  // namespace rhyton::quantizers
