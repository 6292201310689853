#include <rhyton/framework/ops/elementwise.h>

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <rhyton/framework/ops/broadcasting.h>
#include <rhyton/framework/ops/eager.h>
#include <rhyton/framework/ops/elementwise_op.h>
#include <rhyton/framework/ops/op_kind.h>
#include <rhyton/framework/ops/op_tables.h>
#include <rhyton/framework/ops/promotion.h>
#include <rhyton/framework/ops/reduce.h>

namespace rhyton {
inline namespace ops {
namespace {

class AddOp final : public BinaryOp {
 public:
  std::string_view name() const override { return "AddV2"; }

 protected:
  Tensor left_derivative(const Tensor&, const Tensor&, const Tensor&, const Tensor& dy) const override { return dy; }
  Tensor right_derivative(const Tensor&, const Tensor&, const Tensor&, const Tensor& dy) const override { return dy; }
};

class SubtractOp final : public BinaryOp {
 public:
  std::string_view name() const override { return "Sub"; }

 protected:
  Tensor left_derivative(const Tensor&, const Tensor&, const Tensor&, const Tensor& dy) const override { return dy; }
  Tensor right_derivative(const Tensor&, const Tensor&, const Tensor&, const Tensor& dy) const override { return -dy; }
};

class MultiplyOp final : public BinaryOp {
 public:
  std::string_view name() const override { return "Mul"; }

 protected:
  Tensor left_derivative(const Tensor&, const Tensor& b, const Tensor&, const Tensor& dy) const override {
    return dy * b;
  }
  Tensor right_derivative(const Tensor& a, const Tensor&, const Tensor&, const Tensor& dy) const override {
    return dy * a;
  }
};

class DivideOp final : public BinaryOp {
 public:
  std::string_view name() const override { return "RealDiv"; }

 protected:
  Tensor left_derivative(const Tensor&, const Tensor& b, const Tensor&, const Tensor& dy) const override {
    return dy / b;
  }
  Tensor right_derivative(const Tensor&, const Tensor& b, const Tensor& y, const Tensor& dy) const override {
    return -(dy * y / b);
  }
};

class PowerOp final : public BinaryOp {
 public:
  std::string_view name() const override { return "Pow"; }

 protected:
  Tensor left_derivative(const Tensor& a, const Tensor& b, const Tensor&, const Tensor& dy) const override {
    return dy * b * power(a, b - 1.0);
  }
  Tensor right_derivative(const Tensor& a, const Tensor&, const Tensor& y, const Tensor& dy) const override {
    // Where a <= 0 the logarithm is that of 1, so that it and its derivatives are finite.
    return dy * y * log(where(a > 0.0, a, 1.0));
  }
};

class MaximumOp final : public BinaryOp {
 public:
  std::string_view name() const override { return "Maximum"; }

 protected:
  Tensor left_derivative(const Tensor& a, const Tensor& b, const Tensor&, const Tensor& dy) const override {
    return where(a >= b, dy, 0.0);
  }
  Tensor right_derivative(const Tensor& a, const Tensor& b, const Tensor&, const Tensor& dy) const override {
    return where(a >= b, 0.0, dy);
  }
};

class MinimumOp final : public BinaryOp {
 public:
  std::string_view name() const override { return "Minimum"; }

 protected:
  Tensor left_derivative(const Tensor& a, const Tensor& b, const Tensor&, const Tensor& dy) const override {
    return where(a <= b, dy, 0.0);
  }
  Tensor right_derivative(const Tensor& a, const Tensor& b, const Tensor&, const Tensor& dy) const override {
    return where(a <= b, 0.0, dy);
  }
};

class SquaredDifferenceOp final : public BinaryOp {
 public:
  std::string_view name() const override { return "SquaredDifference"; }

 protected:
  Tensor left_derivative(const Tensor& a, const Tensor& b, const Tensor&, const Tensor& dy) const override {
    return dy * (a - b) * 2.0;
  }
  Tensor right_derivative(const Tensor& a, const Tensor& b, const Tensor&, const Tensor& dy) const override {
    return dy * (a - b) * -2.0;
  }
};

/// A comparison, or a logical operation.
class PredicateOp final : public BinaryOp {
 public:
  explicit PredicateOp(std::string_view name) : name_(name) {}
  std::string_view name() const override { return name_; }

 protected:
  DType output_dtype(DType) const override { return DType::bool_; }

 private:
  std::string_view name_;  // a literal
};

/// Inputs: condition, a, b.
class WhereOp final : public ElementwiseOp {
 public:
  std::string_view name() const override { return "SelectV2"; }

  std::vector<TensorSpec> infer(std::span<const TensorSpec> inputs) const override {
    if (inputs[0].dtype != DType::bool_) {
      throw InvalidArgumentError(
          "cannot compute SelectV2 as input #0(zero-based) was expected to be a bool tensor but is a " +
          std::string(message_name_of(inputs[0].dtype)) + " tensor [Op:SelectV2]");
    }
    require_same_dtype(name(), inputs, 1);
    const Shape values = broadcast_shapes(inputs[1].shape, inputs[2].shape);
    return {{broadcast_shapes(inputs[0].shape, values), inputs[1].dtype}};
  }

  DType kernel_dtype(std::span<const TensorSpec> inputs) const override { return inputs[1].dtype; }

 protected:
  Tensor derivative(std::size_t input, std::span<const Tensor> inputs, const Tensor&, const Tensor& dy) const override {
    return input == 1 ? where(inputs[0], dy, 0.0) : where(inputs[0], 0.0, dy);
  }
};

/// The dtype of a quotient.
DType quotient_type(const Tensor& a, const Tensor& b) {
  return floating_result_type(result_type(a.dtype(), b.dtype()));
}

}  // namespace

template <class O>
static Tensor consuming(Tensor&& a, const Tensor& b) {
  std::array<Tensor, 2> inputs{std::move(a), b};
  return apply_consuming(std::make_shared<const O>(), inputs);
}

/// The same where the dtypes may differ: the results of casts are consumed too.
template <class O>
static Tensor consuming_promoted(Tensor&& a, const Tensor& b) {
  if (have_one_dtype(a, b)) return consuming<O>(std::move(a), b);
  const DType dtype = result_type(a.dtype(), b.dtype());
  return consuming<O>(a.dtype() == dtype ? std::move(a) : cast(a, dtype), cast(b, dtype));
}

template <class O>
static Tensor consuming_with(Tensor&& a, const Scalar& b, DType dtype) {
  const Tensor other = wrapped_number(b, dtype);
  return consuming<O>(a.dtype() == dtype ? std::move(a) : cast(a, dtype), other);
}

template <class O>
static Tensor with_number(const Tensor& a, const Scalar& b) {
  const DType dtype = result_type(a.dtype(), b);
  return call<O>({cast(a, dtype), wrapped_number(b, dtype)});
}

template <class O>
static Tensor with_number(const Scalar& a, const Tensor& b) {
  const DType dtype = result_type(b.dtype(), a);
  return call<O>({wrapped_number(a, dtype), cast(b, dtype)});
}

Tensor add(const Tensor& a, const Tensor& b) { return call_promoted<AddOp>(a, b); }
Tensor subtract(const Tensor& a, const Tensor& b) { return call_promoted<SubtractOp>(a, b); }
Tensor multiply(const Tensor& a, const Tensor& b) { return call_promoted<MultiplyOp>(a, b); }
Tensor maximum(const Tensor& a, const Tensor& b) { return call_promoted<MaximumOp>(a, b); }
Tensor minimum(const Tensor& a, const Tensor& b) { return call_promoted<MinimumOp>(a, b); }

Tensor divide(const Tensor& a, const Tensor& b) {
  if (a.is_empty() || b.is_empty()) return call<DivideOp>({a, b});
  const DType dtype = quotient_type(a, b);
  return call<DivideOp>({cast(a, dtype), cast(b, dtype)});
}

Tensor power(const Tensor& a, const Tensor& b) {
  if (a.is_empty() || b.is_empty()) return call<PowerOp>({a, b});
  const DType dtype = result_type(a.dtype(), b.dtype());
  if (dtype != DType::uint8) return call<PowerOp>({cast(a, dtype), cast(b, dtype)});
  return cast(call<PowerOp>({cast(a, DType::int32), cast(b, DType::int32)}), dtype);
}

Tensor squared_difference(const Tensor& a, const Tensor& b) {
  if (!a.is_empty() && !b.is_empty() && is_unsigned(result_type(a.dtype(), b.dtype()))) return square(subtract(a, b));
  return call_promoted<SquaredDifferenceOp>(bool_to_int32(a), bool_to_int32(b));
}

Tensor add_n(const std::vector<Tensor>& inputs) {
  if (inputs.empty()) throw ValueError("`inputs` of add_n must have at least one tensor.");
  Tensor sum = inputs.front();
  for (std::size_t i = 1; i < inputs.size(); ++i) {
    if (inputs[i].shape() != inputs[0].shape()) {
      throw InvalidArgumentError("Inputs to operation AddN of type AddN must have the same size and shape.  Input 0: " +
                                 bracketed(inputs[0].shape()) + " != input " + std::to_string(i) + ": " +
                                 bracketed(inputs[i].shape()));
    }
    sum = add(std::move(sum), inputs[i]);
  }
  return sum;
}

Tensor add(Tensor&& a, const Tensor& b) { return consuming_promoted<AddOp>(std::move(a), b); }
Tensor subtract(Tensor&& a, const Tensor& b) { return consuming_promoted<SubtractOp>(std::move(a), b); }
Tensor multiply(Tensor&& a, const Tensor& b) { return consuming_promoted<MultiplyOp>(std::move(a), b); }
Tensor divide(Tensor&& a, const Tensor& b) {
  if (a.is_empty() || b.is_empty()) return consuming<DivideOp>(std::move(a), b);
  const DType dtype = quotient_type(a, b);
  return consuming<DivideOp>(a.dtype() == dtype ? std::move(a) : cast(a, dtype), cast(b, dtype));
}

Tensor add(Tensor&& a, const Scalar& b) {
  const DType dtype = result_type(a.dtype(), b);
  return consuming_with<AddOp>(std::move(a), b, dtype);
}
Tensor subtract(Tensor&& a, const Scalar& b) {
  const DType dtype = result_type(a.dtype(), b);
  return consuming_with<SubtractOp>(std::move(a), b, dtype);
}
Tensor multiply(Tensor&& a, const Scalar& b) {
  const DType dtype = result_type(a.dtype(), b);
  return consuming_with<MultiplyOp>(std::move(a), b, dtype);
}
Tensor divide(Tensor&& a, const Scalar& b) {
  const DType dtype = floating_result_type(a.dtype());
  return consuming_with<DivideOp>(std::move(a), b, dtype);
}

Tensor add(const Tensor& a, const Scalar& b) { return with_number<AddOp>(a, b); }
// The tensor first, as in the other order: a sum does not depend on it.
Tensor add(const Scalar& a, const Tensor& b) { return with_number<AddOp>(b, a); }
Tensor subtract(const Tensor& a, const Scalar& b) { return with_number<SubtractOp>(a, b); }
Tensor subtract(const Scalar& a, const Tensor& b) { return with_number<SubtractOp>(a, b); }
Tensor multiply(const Tensor& a, const Scalar& b) { return with_number<MultiplyOp>(a, b); }
Tensor multiply(const Scalar& a, const Tensor& b) { return with_number<MultiplyOp>(b, a); }

Tensor divide(const Tensor& a, const Scalar& b) {
  const DType dtype = floating_result_type(a.dtype());
  return call<DivideOp>({cast(a, dtype), number(b, dtype)});
}
Tensor divide(const Scalar& a, const Tensor& b) {
  const DType dtype = floating_result_type(b.dtype());
  return call<DivideOp>({number(a, dtype), cast(b, dtype)});
}

/// Powers of uint8 are computed in int32.
static DType power_type(DType dtype, const Scalar& value) {
  const DType result = result_type(dtype, value);
  return result == DType::uint8 ? DType::int32 : result;
}
Tensor power(const Tensor& a, const Scalar& b) {
  const DType dtype = power_type(a.dtype(), b);
  return cast(call<PowerOp>({cast(a, dtype), number(b, dtype)}), result_type(a.dtype(), b));
}
Tensor power(const Scalar& a, const Tensor& b) {
  const DType dtype = power_type(b.dtype(), a);
  return cast(call<PowerOp>({number(a, dtype), cast(b, dtype)}), result_type(b.dtype(), a));
}

/// An op on a tensor and a number that must be in range of the result's dtype.
template <class O>
static Tensor with_held_number(const Tensor& a, const Scalar& b) {
  const DType dtype = result_type(a.dtype(), b);
  return call<O>({cast(a, dtype), number(b, dtype)});
}
template <class O>
static Tensor with_held_number(const Scalar& a, const Tensor& b) {
  const DType dtype = result_type(b.dtype(), a);
  return call<O>({number(a, dtype), cast(b, dtype)});
}

Tensor maximum(const Tensor& a, const Scalar& b) { return with_held_number<MaximumOp>(a, b); }
Tensor maximum(const Scalar& a, const Tensor& b) { return with_held_number<MaximumOp>(a, b); }
Tensor minimum(const Tensor& a, const Scalar& b) { return with_held_number<MinimumOp>(a, b); }
Tensor minimum(const Scalar& a, const Tensor& b) { return with_held_number<MinimumOp>(a, b); }

static Tensor compare(std::string_view name, const Tensor& a, const Scalar& b) {
  const DType dtype = comparison_type(a.dtype(), b);
  return call<PredicateOp>({cast(a, dtype), number(b, dtype)}, name);
}

Tensor equal(const Tensor& a, const Tensor& b) { return call_promoted<PredicateOp>(a, b, "Equal"); }
Tensor not_equal(const Tensor& a, const Tensor& b) { return call_promoted<PredicateOp>(a, b, "NotEqual"); }
Tensor less(const Tensor& a, const Tensor& b) { return call_promoted<PredicateOp>(a, b, "Less"); }
Tensor less_equal(const Tensor& a, const Tensor& b) { return call_promoted<PredicateOp>(a, b, "LessEqual"); }
Tensor greater(const Tensor& a, const Tensor& b) { return call_promoted<PredicateOp>(a, b, "Greater"); }
Tensor greater_equal(const Tensor& a, const Tensor& b) { return call_promoted<PredicateOp>(a, b, "GreaterEqual"); }

Tensor equal(const Tensor& a, const Scalar& b) { return compare("Equal", a, b); }
Tensor not_equal(const Tensor& a, const Scalar& b) { return compare("NotEqual", a, b); }
Tensor less(const Tensor& a, const Scalar& b) { return compare("Less", a, b); }
Tensor less_equal(const Tensor& a, const Scalar& b) { return compare("LessEqual", a, b); }
Tensor greater(const Tensor& a, const Scalar& b) { return compare("Greater", a, b); }
Tensor greater_equal(const Tensor& a, const Scalar& b) { return compare("GreaterEqual", a, b); }

Tensor equal(const Scalar& a, const Tensor& b) { return equal(b, a); }
Tensor not_equal(const Scalar& a, const Tensor& b) { return not_equal(b, a); }
Tensor less(const Scalar& a, const Tensor& b) { return greater(b, a); }
Tensor less_equal(const Scalar& a, const Tensor& b) { return greater_equal(b, a); }
Tensor greater(const Scalar& a, const Tensor& b) { return less(b, a); }
Tensor greater_equal(const Scalar& a, const Tensor& b) { return less_equal(b, a); }

static Tensor connect(std::string_view name, const Tensor& a, const Tensor& b) {
  if (have_one_dtype(a, b) && (a.is_empty() || a.dtype() == DType::bool_)) return call<PredicateOp>({a, b}, name);
  return call<PredicateOp>({cast(a, DType::bool_), cast(b, DType::bool_)}, name);
}
Tensor logical_and(const Tensor& a, const Tensor& b) { return connect("LogicalAnd", a, b); }
Tensor logical_or(const Tensor& a, const Tensor& b) { return connect("LogicalOr", a, b); }

/// The condition as truth values, before two values of one dtype.
static Tensor choose(const Tensor& condition, const Tensor& a, const Tensor& b) {
  return call<WhereOp>({condition.is_empty() ? condition : cast(condition, DType::bool_), a, b});
}
Tensor where(const Tensor& condition, const Tensor& a, const Tensor& b) {
  if (have_one_dtype(a, b)) return choose(condition, a, b);
  const DType dtype = result_type(a.dtype(), b.dtype());
  return choose(condition, cast(a, dtype), cast(b, dtype));
}
Tensor where(const Tensor& condition, const Tensor& a, const Scalar& b) {
  const DType dtype = result_type(a.dtype(), b);
  return choose(condition, cast(a, dtype), number(b, dtype));
}
Tensor where(const Tensor& condition, const Scalar& a, const Tensor& b) {
  const DType dtype = result_type(b.dtype(), a);
  return choose(condition, number(a, dtype), cast(b, dtype));
}
Tensor where(const Tensor& condition, const Scalar& a, const Scalar& b) {
  const DType dtype = result_type(a, b);
  return choose(condition, number(a, dtype), number(b, dtype));
}

}  // namespace ops
bool is_add(const Op& op) { return dynamic_cast<const ops::AddOp*>(&op) != nullptr; }
bool is_multiply(const Op& op) { return dynamic_cast<const ops::MultiplyOp*>(&op) != nullptr; }

OpTable elementwise_binary_table() {
  return {
      plain_op<AddOp>(2),
      plain_op<SubtractOp>(2),
      plain_op<MultiplyOp>(2),
      plain_op<DivideOp>(2),
      plain_op<PowerOp>(2),
      plain_op<MaximumOp>(2),
      plain_op<MinimumOp>(2),
      plain_op<SquaredDifferenceOp>(2),
      named_op<PredicateOp>("Equal", 2),
      named_op<PredicateOp>("NotEqual", 2),
      named_op<PredicateOp>("Less", 2),
      named_op<PredicateOp>("LessEqual", 2),
      named_op<PredicateOp>("Greater", 2),
      named_op<PredicateOp>("GreaterEqual", 2),
      named_op<PredicateOp>("LogicalAnd", 2),
      named_op<PredicateOp>("LogicalOr", 2),
      OpEntry{"SelectV2", 3, 3,
              [](const OpDescription& op) -> OpPtr {
                op.require(op.inputs[0].dtype == DType::bool_, "a condition of dtype bool");
                return std::make_shared<const WhereOp>();
              }},
  };
}

}  // namespace rhyton
