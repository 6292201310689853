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
    // Where a <= 0 the logarithm is taken of 1, so that it is finite and so are its own derivatives.
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

/// A comparison, or a logical connection.
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

/// A number as a tensor of x's dtype.
Tensor number(double value, const Tensor& x) { return Tensor::full({}, value, x.dtype()); }

}  // namespace

template <class O>
static Tensor consuming(Tensor&& a, const Tensor& b) {
  std::array<Tensor, 2> inputs{std::move(a), b};
  return apply_consuming(std::make_shared<const O>(), inputs);
}

Tensor add(const Tensor& a, const Tensor& b) { return call<AddOp>({a, b}); }
Tensor subtract(const Tensor& a, const Tensor& b) { return call<SubtractOp>({a, b}); }
Tensor multiply(const Tensor& a, const Tensor& b) { return call<MultiplyOp>({a, b}); }
Tensor divide(const Tensor& a, const Tensor& b) { return call<DivideOp>({a, b}); }
Tensor power(const Tensor& a, const Tensor& b) { return call<PowerOp>({a, b}); }
Tensor maximum(const Tensor& a, const Tensor& b) { return call<MaximumOp>({a, b}); }
Tensor minimum(const Tensor& a, const Tensor& b) { return call<MinimumOp>({a, b}); }
Tensor squared_difference(const Tensor& a, const Tensor& b) { return call<SquaredDifferenceOp>({a, b}); }

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

Tensor add(Tensor&& a, const Tensor& b) { return consuming<AddOp>(std::move(a), b); }
Tensor subtract(Tensor&& a, const Tensor& b) { return consuming<SubtractOp>(std::move(a), b); }
Tensor multiply(Tensor&& a, const Tensor& b) { return consuming<MultiplyOp>(std::move(a), b); }
Tensor divide(Tensor&& a, const Tensor& b) { return consuming<DivideOp>(std::move(a), b); }
Tensor add(Tensor&& a, double b) {
  const Tensor other = number(b, a);
  return consuming<AddOp>(std::move(a), other);
}
Tensor subtract(Tensor&& a, double b) {
  const Tensor other = number(b, a);
  return consuming<SubtractOp>(std::move(a), other);
}
Tensor multiply(Tensor&& a, double b) {
  const Tensor other = number(b, a);
  return consuming<MultiplyOp>(std::move(a), other);
}
Tensor divide(Tensor&& a, double b) {
  const Tensor other = number(b, a);
  return consuming<DivideOp>(std::move(a), other);
}

Tensor add(const Tensor& a, double b) { return add(a, number(b, a)); }
Tensor subtract(const Tensor& a, double b) { return subtract(a, number(b, a)); }
Tensor subtract(double a, const Tensor& b) { return subtract(number(a, b), b); }
Tensor multiply(const Tensor& a, double b) { return multiply(a, number(b, a)); }
Tensor divide(const Tensor& a, double b) { return divide(a, number(b, a)); }
Tensor divide(double a, const Tensor& b) { return divide(number(a, b), b); }
Tensor power(const Tensor& a, double b) { return power(a, number(b, a)); }
Tensor maximum(const Tensor& a, double b) { return maximum(a, number(b, a)); }
Tensor minimum(const Tensor& a, double b) { return minimum(a, number(b, a)); }

Tensor equal(const Tensor& a, const Tensor& b) { return call<PredicateOp>({a, b}, "Equal"); }
Tensor not_equal(const Tensor& a, const Tensor& b) { return call<PredicateOp>({a, b}, "NotEqual"); }
Tensor less(const Tensor& a, const Tensor& b) { return call<PredicateOp>({a, b}, "Less"); }
Tensor less_equal(const Tensor& a, const Tensor& b) { return call<PredicateOp>({a, b}, "LessEqual"); }
Tensor greater(const Tensor& a, const Tensor& b) { return call<PredicateOp>({a, b}, "Greater"); }
Tensor greater_equal(const Tensor& a, const Tensor& b) { return call<PredicateOp>({a, b}, "GreaterEqual"); }

Tensor equal(const Tensor& a, double b) { return equal(a, number(b, a)); }
Tensor not_equal(const Tensor& a, double b) { return not_equal(a, number(b, a)); }
Tensor less(const Tensor& a, double b) { return less(a, number(b, a)); }
Tensor less_equal(const Tensor& a, double b) { return less_equal(a, number(b, a)); }
Tensor greater(const Tensor& a, double b) { return greater(a, number(b, a)); }
Tensor greater_equal(const Tensor& a, double b) { return greater_equal(a, number(b, a)); }

Tensor logical_and(const Tensor& a, const Tensor& b) { return call<PredicateOp>({a, b}, "LogicalAnd"); }
Tensor logical_or(const Tensor& a, const Tensor& b) { return call<PredicateOp>({a, b}, "LogicalOr"); }

Tensor where(const Tensor& condition, const Tensor& a, const Tensor& b) { return call<WhereOp>({condition, a, b}); }
Tensor where(const Tensor& condition, const Tensor& a, double b) { return where(condition, a, number(b, a)); }
Tensor where(const Tensor& condition, double a, const Tensor& b) { return where(condition, number(a, b), b); }

}  // namespace ops
}  // namespace rhyton
