#include <rhyton/framework/ops/integer_arithmetic.h>

#include <string>

#include <rhyton/framework/ops/broadcasting.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/elementwise_op.h>
#include <rhyton/framework/ops/op_tables.h>
#include <rhyton/framework/ops/promotion.h>
#include <rhyton/framework/ops/special_functions.h>
#include <rhyton/framework/ops/special_values.h>
#include <rhyton/framework/tensor/result_type.h>

namespace rhyton {
inline namespace ops {
namespace {

/// A quotient rounded down: its derivative is zero wherever it has one.
class FloorDivideOp final : public BinaryOp {
 public:
  std::string_view name() const override { return "FloorDiv"; }
};

class FloorModuloOp final : public BinaryOp {
 public:
  std::string_view name() const override { return "FloorMod"; }

 protected:
  Tensor left_derivative(const Tensor&, const Tensor&, const Tensor&, const Tensor& dy) const override { return dy; }
  Tensor right_derivative(const Tensor& a, const Tensor& b, const Tensor&, const Tensor& dy) const override {
    return -(dy * floor_divide(a, b));
  }
};

/// Its derivatives are those of sign(a) · floormod(|a|, |b|), as which Keras on TensorFlow computes it: 0 at a = 0.
class TruncateModuloOp final : public BinaryOp {
 public:
  std::string_view name() const override { return "TruncateMod"; }

 protected:
  Tensor left_derivative(const Tensor& a, const Tensor&, const Tensor&, const Tensor& dy) const override {
    return dy * square(sign(a));
  }
  Tensor right_derivative(const Tensor& a, const Tensor& b, const Tensor&, const Tensor& dy) const override {
    return -(dy * sign(a) * floor_divide(abs(a), abs(b)) * sign(b));
  }
};

class GcdOp final : public BinaryOp {
 public:
  std::string_view name() const override { return "Gcd"; }
};

class BitwiseAndOp final : public BinaryOp {
 public:
  std::string_view name() const override { return "BitwiseAnd"; }
};

class BitwiseOrOp final : public BinaryOp {
 public:
  std::string_view name() const override { return "BitwiseOr"; }
};

class BitwiseXorOp final : public BinaryOp {
 public:
  std::string_view name() const override { return "BitwiseXor"; }
};

class LeftShiftOp final : public BinaryOp {
 public:
  std::string_view name() const override { return "LeftShift"; }
};

class RightShiftOp final : public BinaryOp {
 public:
  std::string_view name() const override { return "RightShift"; }
};

class InvertOp final : public UnaryOp {
 public:
  std::string_view name() const override { return "Invert"; }
};

bool are_bools(const Tensor& x1, const Tensor& x2) { return x1.dtype() == DType::bool_ && x2.dtype() == DType::bool_; }

/// Of two bools in int32.
template <class O>
Tensor remainder_of(const Tensor& x1, const Tensor& x2) {
  return are_bools(x1, x2) ? call<O>({bool_to_int32(x1), bool_to_int32(x2)}) : call_promoted<O>(x1, x2);
}

void require_bits(std::string_view op, DType dtype) {
  if (is_integer(dtype)) return;
  throw InvalidArgumentError(
      "Value for attr 'T' of " + std::string(message_name_of(dtype)) +
      " is not in the list of allowed values: int8, int16, int32, int64, uint8, uint16, uint32 [Op:" + std::string(op) +
      "]");
}

template <class O>
Tensor on_bits(std::string_view op, const Tensor& x1, const Tensor& x2) {
  require_bits(op, result_type(x1.dtype(), x2.dtype()));
  return call_promoted<O>(x1, x2);
}

template <class O>
Tensor shifted(std::string_view op, const Tensor& x1, const Tensor& x2) {
  const DType dtype = result_type(x1.dtype(), x2.dtype());
  require_bits(op, dtype);
  const auto last = static_cast<std::int64_t>(size_of(dtype) * 8 - 1);
  return call<O>({cast(x1, dtype), minimum(maximum(cast(x2, dtype), 0), last)});
}

}  // namespace

Tensor floor_divide(const Tensor& x1, const Tensor& x2) {
  if (x1.dtype() == DType::bool_ && x2.dtype() == DType::bool_) {
    throw InvalidArgumentError("floor_divide does not take bool [Op:FloorDiv]");
  }
  return call_promoted<FloorDivideOp>(x1, x2);
}

Tensor mod(const Tensor& x1, const Tensor& x2) { return remainder_of<FloorModuloOp>(x1, x2); }
Tensor fmod(const Tensor& x1, const Tensor& x2) { return remainder_of<TruncateModuloOp>(x1, x2); }

Tensor gcd(const Tensor& x1, const Tensor& x2) {
  if (!is_integer(result_type(x1.dtype(), x2.dtype()))) throw TypeError("Arguments to gcd must be integers.");
  return call_promoted<GcdOp>(x1, x2);
}

Tensor lcm(const Tensor& x1, const Tensor& x2) {
  if (!is_integer(x1.dtype()) || !is_integer(x2.dtype())) {
    throw TypeError("Arguments to lcm must be integers. Received: x1.dtype=" + std::string(name_of(x1.dtype())) +
                    ", x2.dtype=" + std::string(name_of(x2.dtype())));
  }
  const DType dtype = result_type(x1.dtype(), x2.dtype());
  const Tensor a = abs(cast(x1, dtype));
  const Tensor b = abs(cast(x2, dtype));
  const Tensor divisor = gcd(a, b);
  // Where both are 0 the product is, too.
  return a * floor_divide(b, maximum(divisor, 1));
}

Tensor bitwise_and(const Tensor& x1, const Tensor& x2) { return on_bits<BitwiseAndOp>("BitwiseAnd", x1, x2); }
Tensor bitwise_or(const Tensor& x1, const Tensor& x2) { return on_bits<BitwiseOrOp>("BitwiseOr", x1, x2); }
Tensor bitwise_xor(const Tensor& x1, const Tensor& x2) { return on_bits<BitwiseXorOp>("BitwiseXor", x1, x2); }

Tensor bitwise_invert(const Tensor& x) {
  require_bits("Invert", x.dtype());
  return call<InvertOp>({x});
}
Tensor bitwise_not(const Tensor& x) { return bitwise_invert(x); }

Tensor bitwise_left_shift(const Tensor& x1, const Tensor& x2) { return shifted<LeftShiftOp>("LeftShift", x1, x2); }
Tensor left_shift(const Tensor& x1, const Tensor& x2) { return bitwise_left_shift(x1, x2); }
Tensor bitwise_right_shift(const Tensor& x1, const Tensor& x2) { return shifted<RightShiftOp>("RightShift", x1, x2); }
Tensor right_shift(const Tensor& x1, const Tensor& x2) { return bitwise_right_shift(x1, x2); }

Tensor floor_divide(const Tensor& x1, const Scalar& x2) { return floor_divide(x1, number_beside(x1, x2)); }
Tensor floor_divide(const Scalar& x1, const Tensor& x2) { return floor_divide(number_beside(x2, x1), x2); }
Tensor mod(const Tensor& x1, const Scalar& x2) { return mod(x1, converted_number(x2)); }
Tensor mod(const Scalar& x1, const Tensor& x2) { return mod(converted_number(x1), x2); }
Tensor fmod(const Tensor& x1, const Scalar& x2) { return fmod(x1, converted_number(x2)); }
Tensor fmod(const Scalar& x1, const Tensor& x2) { return fmod(converted_number(x1), x2); }
Tensor bitwise_and(const Tensor& x1, const Scalar& x2) { return bitwise_and(x1, converted_number(x2)); }
Tensor bitwise_and(const Scalar& x1, const Tensor& x2) { return bitwise_and(converted_number(x1), x2); }
Tensor bitwise_or(const Tensor& x1, const Scalar& x2) { return bitwise_or(x1, converted_number(x2)); }
Tensor bitwise_or(const Scalar& x1, const Tensor& x2) { return bitwise_or(converted_number(x1), x2); }
Tensor bitwise_xor(const Tensor& x1, const Scalar& x2) { return bitwise_xor(x1, converted_number(x2)); }
Tensor bitwise_xor(const Scalar& x1, const Tensor& x2) { return bitwise_xor(converted_number(x1), x2); }
Tensor bitwise_left_shift(const Tensor& x1, const Scalar& x2) { return bitwise_left_shift(x1, number_beside(x1, x2)); }
Tensor bitwise_left_shift(const Scalar& x1, const Tensor& x2) { return bitwise_left_shift(converted_number(x1), x2); }
Tensor left_shift(const Tensor& x1, const Scalar& x2) { return bitwise_left_shift(x1, x2); }
Tensor left_shift(const Scalar& x1, const Tensor& x2) { return bitwise_left_shift(x1, x2); }
Tensor bitwise_right_shift(const Tensor& x1, const Scalar& x2) {
  return bitwise_right_shift(x1, number_beside(x1, x2));
}
Tensor bitwise_right_shift(const Scalar& x1, const Tensor& x2) { return bitwise_right_shift(converted_number(x1), x2); }
Tensor right_shift(const Tensor& x1, const Scalar& x2) { return bitwise_right_shift(x1, x2); }
Tensor right_shift(const Scalar& x1, const Tensor& x2) { return bitwise_right_shift(x1, x2); }

Tensor operator%(const Tensor& x1, const Tensor& x2) { return mod(x1, x2); }
Tensor operator%(const Tensor& x1, const Scalar& x2) { return mod(x1, number_beside(x1, x2)); }
Tensor operator%(const Scalar& x1, const Tensor& x2) { return mod(number_beside(x2, x1), x2); }
Tensor operator&(const Tensor& x1, const Tensor& x2) {
  return are_bools(x1, x2) ? logical_and(x1, x2) : bitwise_and(x1, x2);
}
Tensor operator&(const Tensor& x1, const Scalar& x2) { return x1 & number_beside(x1, x2); }
Tensor operator|(const Tensor& x1, const Tensor& x2) {
  return are_bools(x1, x2) ? logical_or(x1, x2) : bitwise_or(x1, x2);
}
Tensor operator|(const Tensor& x1, const Scalar& x2) { return x1 | number_beside(x1, x2); }
Tensor operator^(const Tensor& x1, const Tensor& x2) {
  return are_bools(x1, x2) ? logical_xor(x1, x2) : bitwise_xor(x1, x2);
}
Tensor operator^(const Tensor& x1, const Scalar& x2) { return x1 ^ number_beside(x1, x2); }
Tensor operator~(const Tensor& x) { return x.dtype() == DType::bool_ ? logical_not(x) : bitwise_invert(x); }

}  // namespace ops
OpTable integer_arithmetic_table() {
  return {
      plain_op<FloorDivideOp>(2), plain_op<FloorModuloOp>(2), plain_op<TruncateModuloOp>(2), plain_op<GcdOp>(2),
      plain_op<BitwiseAndOp>(2),  plain_op<BitwiseOrOp>(2),   plain_op<BitwiseXorOp>(2),     plain_op<LeftShiftOp>(2),
      plain_op<RightShiftOp>(2),  plain_op<InvertOp>(1),
  };
}

}  // namespace rhyton
