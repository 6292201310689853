#include <rhyton/framework/ops/special_functions.h>

#include <numbers>
#include <string>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/elementwise_op.h>
#include <rhyton/framework/ops/op_tables.h>
#include <rhyton/framework/ops/promotion.h>
#include <rhyton/framework/ops/special_values.h>

namespace rhyton {
inline namespace ops {
namespace {

class TanOp final : public UnaryOp {
 public:
  std::string_view name() const override { return "Tan"; }

 protected:
  Tensor derivative(const Tensor&, const Tensor& y, const Tensor& dy) const override { return dy * (square(y) + 1.0); }
};

class AsinOp final : public UnaryOp {
 public:
  std::string_view name() const override { return "Asin"; }

 protected:
  Tensor derivative(const Tensor& x, const Tensor&, const Tensor& dy) const override {
    return dy * rsqrt(1.0 - square(x));
  }
};

class AcosOp final : public UnaryOp {
 public:
  std::string_view name() const override { return "Acos"; }

 protected:
  Tensor derivative(const Tensor& x, const Tensor&, const Tensor& dy) const override {
    return -(dy * rsqrt(1.0 - square(x)));
  }
};

class AtanOp final : public UnaryOp {
 public:
  std::string_view name() const override { return "Atan"; }

 protected:
  Tensor derivative(const Tensor& x, const Tensor&, const Tensor& dy) const override { return dy / (square(x) + 1.0); }
};

class SinhOp final : public UnaryOp {
 public:
  std::string_view name() const override { return "Sinh"; }

 protected:
  Tensor derivative(const Tensor& x, const Tensor&, const Tensor& dy) const override { return dy * cosh(x); }
};

class CoshOp final : public UnaryOp {
 public:
  std::string_view name() const override { return "Cosh"; }

 protected:
  Tensor derivative(const Tensor& x, const Tensor&, const Tensor& dy) const override { return dy * sinh(x); }
};

class AsinhOp final : public UnaryOp {
 public:
  std::string_view name() const override { return "Asinh"; }

 protected:
  Tensor derivative(const Tensor&, const Tensor& y, const Tensor& dy) const override { return dy / cosh(y); }
};

class AcoshOp final : public UnaryOp {
 public:
  std::string_view name() const override { return "Acosh"; }

 protected:
  Tensor derivative(const Tensor&, const Tensor& y, const Tensor& dy) const override { return dy / sinh(y); }
};

class AtanhOp final : public UnaryOp {
 public:
  std::string_view name() const override { return "Atanh"; }

 protected:
  Tensor derivative(const Tensor& x, const Tensor&, const Tensor& dy) const override { return dy / (1.0 - square(x)); }
};

class ErfcOp final : public UnaryOp {
 public:
  std::string_view name() const override { return "Erfc"; }

 protected:
  Tensor derivative(const Tensor& x, const Tensor&, const Tensor& dy) const override {
    return dy * exp(-square(x)) * (-2.0 * std::numbers::inv_sqrtpi);
  }
};

class ErfinvOp final : public UnaryOp {
 public:
  std::string_view name() const override { return "Erfinv"; }

 protected:
  Tensor derivative(const Tensor&, const Tensor& y, const Tensor& dy) const override {
    return dy * exp(square(y)) * (0.5 / std::numbers::inv_sqrtpi);
  }
};

class BesselI0Op final : public UnaryOp {
 public:
  std::string_view name() const override { return "BesselI0"; }

 protected:
  Tensor derivative(const Tensor& x, const Tensor&, const Tensor& dy) const override { return dy * i1(x); }
};

class BesselI1Op final : public UnaryOp {
 public:
  std::string_view name() const override { return "BesselI1"; }

 protected:
  Tensor derivative(const Tensor& x, const Tensor& y, const Tensor& dy) const override {
    const Tensor is_zero = equal(x, 0.0);
    return dy * where(is_zero, 0.5, i0(x) - y / where(is_zero, 1.0, x));
  }
};

class SignBitOp final : public UnaryOp {
 public:
  std::string_view name() const override { return "SignBit"; }

 protected:
  DType output_dtype(DType) const override { return DType::bool_; }
};

class NextAfterOp final : public BinaryOp {
 public:
  std::string_view name() const override { return "NextAfter"; }

 protected:
  Tensor left_derivative(const Tensor&, const Tensor&, const Tensor&, const Tensor& dy) const override { return dy; }
};

/// A step function: its derivative is zero wherever it has one.
class TruncOp final : public UnaryOp {
 public:
  std::string_view name() const override { return "Trunc"; }
};

class Atan2Op final : public BinaryOp {
 public:
  std::string_view name() const override { return "Atan2"; }

 protected:
  Tensor left_derivative(const Tensor& a, const Tensor& b, const Tensor&, const Tensor& dy) const override {
    return dy * b / (square(a) + square(b));
  }
  Tensor right_derivative(const Tensor& a, const Tensor& b, const Tensor&, const Tensor& dy) const override {
    return -(dy * a / (square(a) + square(b)));
  }
};

/// Integers as real numbers that hold them: int64 as float64.
Tensor to_real(const Tensor& x) { return x.dtype() == DType::int64 ? cast(x, DType::float64) : to_floating(x); }

/// Both in the dtype that holds them.
std::pair<Tensor, Tensor> both_real(const Tensor& x1, const Tensor& x2) {
  const DType dtype = result_type(x1.dtype(), x2.dtype());
  return {to_real(cast(x1, dtype)), to_real(cast(x2, dtype))};
}

/// The neighbour of x in a half type towards `other`, both in float32: x plus a part of it that is more than half and
/// less than one and a half times the distance to the neighbour, wherever x is between two powers of 2, which rounds to
/// it.
Tensor half_neighbour(const Tensor& x, const Tensor& other, DType dtype) {
  const bool is_float16 = dtype == DType::float16;
  const double part = is_float16 ? 1.25 * 0x1p-11 : 1.25 * 0x1p-8;
  const double least = is_float16 ? 0x1p-24 : 0x1p-133;
  const double largest = is_float16 ? 65504.0 : 0x1.FEp127;
  const Tensor moved = x + stop_gradient(sign(other - x) * maximum(abs(x) * part, least));
  const Tensor is_infinite = greater(abs(x), largest);
  return where(equal(x, other), x, where(is_infinite, sign(x) * largest, moved));
}

/// log(b^x1 + b^x2) / log(b), where `unit` is log(b).
Tensor log_of_sum(const Tensor& x1, const Tensor& x2, double unit) {
  const DType dtype = floating_result_type(result_type(x1.dtype(), x2.dtype()));
  const Tensor a = cast(x1, dtype);
  const Tensor b = cast(x2, dtype);
  const Tensor distance = a - b;
  // Two infinities of one sign have no distance; nor has NaN.
  return where(isnan(distance), a + b, maximum(a, b) + log1p(exp(abs(distance) * -unit)) * (1.0 / unit));
}

}  // namespace

Tensor tan(const Tensor& x) { return call<TanOp>({to_floating(x)}); }
Tensor arcsin(const Tensor& x) { return call<AsinOp>({to_floating(x)}); }
Tensor arccos(const Tensor& x) { return call<AcosOp>({to_floating(x)}); }
Tensor arctan(const Tensor& x) { return call<AtanOp>({to_floating(x)}); }

Tensor arctan2(const Tensor& x1, const Tensor& x2) {
  const DType dtype = floating_result_type(result_type(x1.dtype(), x2.dtype()));
  return call<Atan2Op>({cast(x1, dtype), cast(x2, dtype)});
}

Tensor fabs(const Tensor& x) { return abs(to_floating(x)); }
Tensor sinh(const Tensor& x) { return call<SinhOp>({to_floating(x)}); }
Tensor cosh(const Tensor& x) { return call<CoshOp>({to_floating(x)}); }
Tensor arcsinh(const Tensor& x) { return call<AsinhOp>({to_floating(x)}); }
Tensor arccosh(const Tensor& x) { return call<AcoshOp>({to_floating(x)}); }
Tensor arctanh(const Tensor& x) { return call<AtanhOp>({to_floating(x)}); }

Tensor sinc(const Tensor& x) {
  const Tensor angle = to_floating(x) * std::numbers::pi;
  const Tensor is_zero = equal(angle, 0.0);
  return where(is_zero, 1.0, sin(angle) / where(is_zero, 1.0, angle));
}

Tensor deg2rad(const Tensor& x) { return to_real(x) * (std::numbers::pi / 180.0); }
Tensor rad2deg(const Tensor& x) { return to_real(x) * (180.0 / std::numbers::pi); }

Tensor exp2(const Tensor& x) { return power(2.0, to_floating(x)); }
Tensor log2(const Tensor& x) { return log(x) / std::numbers::ln2; }
Tensor log10(const Tensor& x) { return log(x) / std::numbers::ln10; }

Tensor cbrt(const Tensor& x) {
  const Tensor real = to_real(x);
  return sign(real) * power(abs(real), 1.0 / 3.0);
}

Tensor hypot(const Tensor& x1, const Tensor& x2) {
  const auto [a, b] = both_real(x1, x2);
  const Tensor longer = maximum(abs(a), abs(b));
  const Tensor shorter = minimum(abs(a), abs(b));
  const Tensor is_zero = equal(longer, 0.0);
  const Tensor ratio = where(is_zero, 0.0, shorter / where(is_zero, 1.0, longer));
  return longer * sqrt(square(ratio) + 1.0);
}

Tensor logaddexp(const Tensor& x1, const Tensor& x2) { return log_of_sum(x1, x2, 1.0); }
Tensor logaddexp2(const Tensor& x1, const Tensor& x2) { return log_of_sum(x1, x2, std::numbers::ln2); }

Tensor erfc(const Tensor& x) { return call<ErfcOp>({to_floating(x)}); }
Tensor erfinv(const Tensor& x) { return call<ErfinvOp>({to_floating(x)}); }

Tensor i0(const Tensor& x) { return call<BesselI0Op>({to_real(x)}); }
Tensor i1(const Tensor& x) { return call<BesselI1Op>({to_real(x)}); }

Tensor ldexp(const Tensor& x1, const Tensor& x2) {
  if (is_floating(x2.dtype()) || x2.dtype() == DType::bool_) {
    throw TypeError("ldexp exponent must be an integer type. Received: x2 dtype=<dtype: '" +
                    std::string(name_of(x2.dtype())) + "'>");
  }
  const DType dtype = floating_result_type(result_type(x1.dtype(), x2.dtype()));
  const Tensor mantissa = cast(x1, dtype);
  const Tensor is_fixed = logical_or(equal(mantissa, 0.0), isinf(mantissa));
  return where(is_fixed, mantissa, mantissa * power(2.0, cast(x2, dtype)));
}

Tensor signbit(const Tensor& x) {
  if (x.dtype() == DType::bool_) return zeros_like(x);
  return is_floating(x.dtype()) ? call<SignBitOp>({x}) : less(x, 0);
}

Tensor nextafter(const Tensor& x1, const Tensor& x2) {
  const DType dtype = floating_result_type(result_type(x1.dtype(), x2.dtype()));
  const Tensor a = cast(x1, dtype);
  const Tensor b = cast(x2, dtype);
  if (!is_half(dtype)) return call<NextAfterOp>({a, b});
  return cast(half_neighbour(cast(a, DType::float32), cast(b, DType::float32), dtype), dtype);
}

Tensor trunc(const Tensor& x) { return x.is_empty() || is_floating(x.dtype()) ? call<TruncOp>({x}) : x.without_mask(); }

Tensor heaviside(const Tensor& x1, const Tensor& x2) {
  const auto [a, b] = both_real(x1, x2);
  return where(less(a, 0.0), 0.0, where(greater(a, 0.0), 1.0, b));
}

}  // namespace ops
OpTable special_function_table() {
  return {
      plain_op<TanOp>(1),      plain_op<AsinOp>(1),    plain_op<AcosOp>(1),   plain_op<AtanOp>(1),
      plain_op<SinhOp>(1),     plain_op<CoshOp>(1),    plain_op<AsinhOp>(1),  plain_op<AcoshOp>(1),
      plain_op<AtanhOp>(1),    plain_op<ErfcOp>(1),    plain_op<ErfinvOp>(1), plain_op<BesselI0Op>(1),
      plain_op<BesselI1Op>(1), plain_op<SignBitOp>(1), plain_op<TruncOp>(1),  plain_op<NextAfterOp>(2),
      plain_op<Atan2Op>(2),
  };
}

}  // namespace rhyton
