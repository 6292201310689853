#include <rhyton/framework/ops/elementwise.h>

#include <numbers>

#include <rhyton/framework/ops/elementwise_op.h>
#include <rhyton/framework/ops/op_tables.h>
#include <rhyton/framework/ops/promotion.h>

namespace rhyton {
inline namespace ops {
namespace {

class NegativeOp final : public UnaryOp {
 public:
  std::string_view name() const override { return "Neg"; }

 protected:
  Tensor derivative(const Tensor&, const Tensor&, const Tensor& dy) const override { return -dy; }
};

class ExpOp final : public UnaryOp {
 public:
  std::string_view name() const override { return "Exp"; }

 protected:
  Tensor derivative(const Tensor&, const Tensor& y, const Tensor& dy) const override { return dy * y; }
};

class LogOp final : public UnaryOp {
 public:
  std::string_view name() const override { return "Log"; }

 protected:
  Tensor derivative(const Tensor& x, const Tensor&, const Tensor& dy) const override { return dy / x; }
};

class Log1pOp final : public UnaryOp {
 public:
  std::string_view name() const override { return "Log1p"; }

 protected:
  Tensor derivative(const Tensor& x, const Tensor&, const Tensor& dy) const override { return dy / (x + 1.0); }
};

class Expm1Op final : public UnaryOp {
 public:
  std::string_view name() const override { return "Expm1"; }

 protected:
  Tensor derivative(const Tensor&, const Tensor& y, const Tensor& dy) const override { return dy * (y + 1.0); }
};

/// y, but 0 where it is not finite and dy is 0: there the derivatives of these functions are 0, as in TensorFlow, so
/// that `where(x > 0.0, sqrt(x), 0.0)` has one at 0.
Tensor without_poles(const Tensor& y, const Tensor& dy) {
  return where(logical_and(equal(dy, 0.0), logical_not(isfinite(y))), 0.0, y);
}

class SqrtOp final : public UnaryOp {
 public:
  std::string_view name() const override { return "Sqrt"; }

 protected:
  Tensor derivative(const Tensor&, const Tensor& y, const Tensor& dy) const override {
    return dy * 0.5 / where(logical_and(equal(dy, 0.0), equal(y, 0.0)), 1.0, y);
  }
};

class RsqrtOp final : public UnaryOp {
 public:
  std::string_view name() const override { return "Rsqrt"; }

 protected:
  Tensor derivative(const Tensor&, const Tensor& y, const Tensor& dy) const override {
    const Tensor finite = without_poles(y, dy);
    return dy * -0.5 * (finite * finite * finite);
  }
};

class SquareOp final : public UnaryOp {
 public:
  std::string_view name() const override { return "Square"; }

 protected:
  Tensor derivative(const Tensor& x, const Tensor&, const Tensor& dy) const override { return dy * x * 2.0; }
};

class AbsOp final : public UnaryOp {
 public:
  std::string_view name() const override { return "Abs"; }

 protected:
  Tensor derivative(const Tensor& x, const Tensor&, const Tensor& dy) const override { return dy * sign(x); }
};

class ReciprocalOp final : public UnaryOp {
 public:
  std::string_view name() const override { return "Reciprocal"; }

 protected:
  Tensor derivative(const Tensor&, const Tensor& y, const Tensor& dy) const override {
    return -(dy * square(without_poles(y, dy)));
  }
};

class SinOp final : public UnaryOp {
 public:
  std::string_view name() const override { return "Sin"; }

 protected:
  Tensor derivative(const Tensor& x, const Tensor&, const Tensor& dy) const override { return dy * cos(x); }
};

class CosOp final : public UnaryOp {
 public:
  std::string_view name() const override { return "Cos"; }

 protected:
  Tensor derivative(const Tensor& x, const Tensor&, const Tensor& dy) const override { return -(dy * sin(x)); }
};

class ErfOp final : public UnaryOp {
 public:
  std::string_view name() const override { return "Erf"; }

 protected:
  Tensor derivative(const Tensor& x, const Tensor&, const Tensor& dy) const override {
    return dy * exp(-square(x)) * (2.0 * std::numbers::inv_sqrtpi);
  }
};

/// A step function: its derivative is zero wherever it has one.
class StepOp final : public UnaryOp {
 public:
  explicit StepOp(std::string_view name) : name_(name) {}
  std::string_view name() const override { return name_; }

 private:
  std::string_view name_;  // a literal
};

/// A predicate on each element, with a bool result.
class UnaryPredicateOp final : public UnaryOp {
 public:
  explicit UnaryPredicateOp(std::string_view name) : name_(name) {}
  std::string_view name() const override { return name_; }

 protected:
  DType output_dtype(DType) const override { return DType::bool_; }

 private:
  std::string_view name_;  // a literal
};

}  // namespace

Tensor negative(const Tensor& x) { return call<NegativeOp>({x}); }
Tensor exp(const Tensor& x) { return call<ExpOp>({to_floating(x)}); }
Tensor log(const Tensor& x) { return call<LogOp>({to_floating(x)}); }
Tensor log1p(const Tensor& x) { return call<Log1pOp>({to_floating(x)}); }
Tensor expm1(const Tensor& x) { return call<Expm1Op>({to_floating(x)}); }
Tensor sqrt(const Tensor& x) { return call<SqrtOp>({to_floating(x)}); }
Tensor rsqrt(const Tensor& x) { return call<RsqrtOp>({to_floating(x)}); }
Tensor square(const Tensor& x) {
  if (!x.is_empty() && x.dtype() == DType::uint8) return multiply(x, x);
  return call<SquareOp>({bool_to_int32(x)});
}
Tensor abs(const Tensor& x) {
  const bool has_no_sign = !x.is_empty() && (is_unsigned(x.dtype()) || x.dtype() == DType::bool_);
  return has_no_sign ? x.without_mask() : call<AbsOp>({x});
}
Tensor sign(const Tensor& x) {
  if (!x.is_empty() && x.dtype() == DType::uint8) return cast(sign(cast(x, DType::int32)), DType::uint8);
  return call<StepOp>({x}, "Sign");
}
Tensor floor(const Tensor& x) { return call<StepOp>({to_floating(x)}, "Floor"); }
Tensor ceil(const Tensor& x) { return call<StepOp>({to_floating(x)}, "Ceil"); }
Tensor round(const Tensor& x) {
  return x.is_empty() || is_floating(x.dtype()) ? call<StepOp>({x}, "Rint") : x.without_mask();
}
Tensor reciprocal(const Tensor& x) { return call<ReciprocalOp>({to_floating(x)}); }
Tensor sin(const Tensor& x) { return call<SinOp>({to_floating(x)}); }
Tensor cos(const Tensor& x) { return call<CosOp>({to_floating(x)}); }
Tensor erf(const Tensor& x) { return call<ErfOp>({to_floating(x)}); }
Tensor isnan(const Tensor& x) { return call<UnaryPredicateOp>({to_floating(x)}, "IsNan"); }
Tensor isfinite(const Tensor& x) { return call<UnaryPredicateOp>({to_floating(x)}, "IsFinite"); }
Tensor logical_not(const Tensor& x) {
  return call<UnaryPredicateOp>({x.is_empty() ? x : cast(x, DType::bool_)}, "LogicalNot");
}

}  // namespace ops

OpTable elementwise_unary_table() {
  return {
      plain_op<NegativeOp>(1),
      plain_op<ExpOp>(1),
      plain_op<LogOp>(1),
      plain_op<Log1pOp>(1),
      plain_op<Expm1Op>(1),
      plain_op<SqrtOp>(1),
      plain_op<RsqrtOp>(1),
      plain_op<SquareOp>(1),
      plain_op<AbsOp>(1),
      plain_op<ReciprocalOp>(1),
      plain_op<SinOp>(1),
      plain_op<CosOp>(1),
      plain_op<ErfOp>(1),
      named_op<StepOp>("Sign", 1),
      named_op<StepOp>("Floor", 1),
      named_op<StepOp>("Ceil", 1),
      named_op<StepOp>("Rint", 1),
      named_op<UnaryPredicateOp>("IsNan", 1),
      named_op<UnaryPredicateOp>("IsFinite", 1),
      named_op<UnaryPredicateOp>("LogicalNot", 1),
  };
}

}  // namespace rhyton
