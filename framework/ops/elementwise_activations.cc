#include <rhyton/framework/ops/elementwise.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <type_traits>

#include <rhyton/framework/ops/op_kind.h>
#include <rhyton/framework/ops/op_tables.h>
#include <rhyton/framework/ops/parametric_elementwise.h>
#include <rhyton/framework/ops/promotion.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/framework/tensor/visit_dtype.h>

namespace rhyton {
inline namespace ops {
namespace {

/// Inputs: dy and relu's output y. The result is dy where y > 0, else 0.
class ReluGradOp final : public BinaryOp {
 public:
  std::string_view name() const override { return "ReluGrad"; }

 protected:
  Tensor left_derivative(const Tensor&, const Tensor& y, const Tensor&, const Tensor& g) const override {
    return call<ReluGradOp>({g, y});
  }
};

class ReluOp final : public UnaryOp {
 public:
  std::string_view name() const override { return "Relu"; }

 protected:
  Tensor derivative(const Tensor&, const Tensor& y, const Tensor& dy) const override {
    return call<ReluGradOp>({dy, y});
  }
};

/// Inputs: dy and tanh's output y. The result is dy · (1 - y²).
class TanhGradOp final : public BinaryOp {
 public:
  std::string_view name() const override { return "TanhGrad"; }

 protected:
  Tensor left_derivative(const Tensor&, const Tensor& y, const Tensor&, const Tensor& g) const override {
    return call<TanhGradOp>({g, y});
  }
  Tensor right_derivative(const Tensor& dy, const Tensor& y, const Tensor&, const Tensor& g) const override {
    return g * dy * y * -2.0;
  }
};

class TanhOp final : public UnaryOp {
 public:
  std::string_view name() const override { return "Tanh"; }

 protected:
  Tensor derivative(const Tensor&, const Tensor& y, const Tensor& dy) const override {
    return call<TanhGradOp>({dy, y});
  }
};

/// Inputs: dy and sigmoid's output y. The result is dy · y · (1 - y).
class SigmoidGradOp final : public BinaryOp {
 public:
  std::string_view name() const override { return "SigmoidGrad"; }

 protected:
  Tensor left_derivative(const Tensor&, const Tensor& y, const Tensor&, const Tensor& g) const override {
    return call<SigmoidGradOp>({g, y});
  }
  Tensor right_derivative(const Tensor& dy, const Tensor& y, const Tensor&, const Tensor& g) const override {
    return g * dy * (1.0 - 2.0 * y);
  }
};

class SigmoidOp final : public UnaryOp {
 public:
  std::string_view name() const override { return "Sigmoid"; }

 protected:
  Tensor derivative(const Tensor&, const Tensor& y, const Tensor& dy) const override {
    return call<SigmoidGradOp>({dy, y});
  }
};

/// Inputs: dy, x. The result is dy · sigmoid(x).
class SoftplusGradOp final : public BinaryOp {
 public:
  std::string_view name() const override { return "SoftplusGrad"; }

 protected:
  Tensor left_derivative(const Tensor&, const Tensor& x, const Tensor&, const Tensor& g) const override {
    return call<SoftplusGradOp>({g, x});
  }
  Tensor right_derivative(const Tensor& dy, const Tensor& x, const Tensor&, const Tensor& g) const override {
    return call<SigmoidGradOp>({g * dy, sigmoid(x)});
  }
};

class SoftplusOp final : public UnaryOp {
 public:
  std::string_view name() const override { return "Softplus"; }

 protected:
  Tensor derivative(const Tensor& x, const Tensor&, const Tensor& dy) const override {
    return call<SoftplusGradOp>({dy, x});
  }
};

/// Inputs: dy, x. The result is dy · (s + x s (1 - s)) with s = sigmoid(x).
class SiluGradOp final : public BinaryOp {
 public:
  std::string_view name() const override { return "SiluGrad"; }

 protected:
  Tensor left_derivative(const Tensor&, const Tensor& x, const Tensor&, const Tensor& g) const override {
    return call<SiluGradOp>({g, x});
  }
  Tensor right_derivative(const Tensor& dy, const Tensor& x, const Tensor&, const Tensor& g) const override {
    const Tensor s = sigmoid(x);
    return g * dy * s * (1.0 - s) * (2.0 + x * (1.0 - 2.0 * s));
  }
};

class SiluOp final : public UnaryOp {
 public:
  std::string_view name() const override { return "Silu"; }

 protected:
  Tensor derivative(const Tensor& x, const Tensor&, const Tensor& dy) const override {
    return call<SiluGradOp>({dy, x});
  }
};

/// The second derivative of gelu.
Tensor gelu_curvature(const Tensor& x, bool approximate) {
  if (!approximate) {
    return exp(square(x) * -0.5) * (2.0 - square(x)) * (std::numbers::inv_sqrtpi / std::numbers::sqrt2);
  }
  // gelu = x (1 + t) / 2 with t = tanh(u) and u = scale · (x + cubic · x³).
  const double scale = std::numbers::sqrt2 * std::numbers::inv_sqrtpi;
  const double cubic = 0.044715;
  const Tensor t = tanh(scale * (x + cubic * x * square(x)));
  const Tensor slope = scale * (1.0 + 3.0 * cubic * square(x));
  const Tensor bend = 6.0 * scale * cubic * x;
  return (1.0 - square(t)) * (slope + 0.5 * x * bend - x * t * square(slope));
}

}  // namespace

Tensor LeakyReluOp::derivative(const Tensor& x, const Tensor&, const Tensor& dy) const {
  return call<LeakyReluGradOp>({dy, x}, negative_slope);
}

Tensor LeakyReluGradOp::left_derivative(const Tensor&, const Tensor& x, const Tensor&, const Tensor& g) const {
  return call<LeakyReluGradOp>({g, x}, negative_slope);
}

Tensor EluOp::derivative(const Tensor& x, const Tensor&, const Tensor& dy) const {
  const Tensor dx = call<EluGradOp>({dy, x}, alpha);
  return zero_is_above ? where(x < 0.0, dx, dy) : dx;
}

Tensor EluGradOp::left_derivative(const Tensor&, const Tensor& x, const Tensor&, const Tensor& g) const {
  return call<EluGradOp>({g, x}, alpha);
}

Tensor EluGradOp::right_derivative(const Tensor& dy, const Tensor& x, const Tensor&, const Tensor& g) const {
  return where(x < 0.0, g * dy * exp(minimum(x, 0.0)) * alpha, 0.0);
}

Tensor SoftsignOp::derivative(const Tensor& x, const Tensor&, const Tensor& dy) const {
  return dy / square(abs(x) + 1.0);
}

Tensor GeluOp::derivative(const Tensor& x, const Tensor&, const Tensor& dy) const {
  return call<GeluGradOp>({dy, x}, approximate);
}

Tensor GeluGradOp::left_derivative(const Tensor&, const Tensor& x, const Tensor&, const Tensor& g) const {
  return call<GeluGradOp>({g, x}, approximate);
}

Tensor GeluGradOp::right_derivative(const Tensor& dy, const Tensor& x, const Tensor&, const Tensor& g) const {
  return g * dy * gelu_curvature(x, approximate);
}

Tensor ClipByValueOp::derivative(const Tensor& x, const Tensor& y, const Tensor& dy) const {
  // TensorFlow multiplies in the gradient of relu6, so that an infinite dy gives NaN, and selects in that of a clip.
  if (flat_at_borders) return call<ClipByValueGradOp>({dy, y}, lowest, highest);
  return where(logical_and(x >= lowest, x <= highest), dy, 0.0);
}

Tensor ClipByValueGradOp::left_derivative(const Tensor&, const Tensor& y, const Tensor&, const Tensor& g) const {
  return call<ClipByValueGradOp>({g, y}, lowest, highest);
}

Tensor relu(const Tensor& x) { return !x.is_empty() && is_unsigned(x.dtype()) ? x.without_mask() : call<ReluOp>({x}); }
Tensor tanh(const Tensor& x) { return call<TanhOp>({to_floating(x)}); }
Tensor sigmoid(const Tensor& x) { return call<SigmoidOp>({to_floating(x)}); }
Tensor leaky_relu(const Tensor& x, double negative_slope) {
  return call<LeakyReluOp>({to_floating(x)}, negative_slope);
}
Tensor elu(const Tensor& x, double alpha) { return call<EluOp>({to_floating(x)}, alpha); }
Tensor gelu(const Tensor& x, bool approximate) { return call<GeluOp>({to_floating(x)}, approximate); }
Tensor silu(const Tensor& x) { return call<SiluOp>({to_floating(x)}); }
Tensor softplus(const Tensor& x) { return call<SoftplusOp>({to_floating(x)}); }
/// A bound, or the nearest number of an integer dtype if it is out of range.
static std::int64_t held_bound(const Scalar& bound, DType dtype) {
  return visit_dtype(dtype, [&]<class T>(std::type_identity<T>) {
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool> && sizeof(T) < sizeof(std::int64_t)) {
      return std::clamp(bound.as_integer(), std::int64_t{std::numeric_limits<T>::min()},
                        std::int64_t{std::numeric_limits<T>::max()});
    } else {
      return bound.as_integer();
    }
  });
}

Tensor clip_by_value(const Tensor& x, const Scalar& lowest, const Scalar& highest) {
  if (x.is_empty() || is_floating(x.dtype())) return call<ClipByValueOp>({x}, lowest.as_double(), highest.as_double());
  if (lowest.is_floating() || highest.is_floating()) return clip_by_value(to_floating(x), lowest, highest);
  const Tensor numbers = bool_to_int32(x);
  const std::int64_t low = held_bound(lowest, numbers.dtype());
  const std::int64_t high = held_bound(highest, numbers.dtype());
  constexpr std::int64_t exact = std::int64_t{1} << 53;
  const bool are_exact = std::clamp(low, -exact, exact) == low && std::clamp(high, -exact, exact) == high;
  if (numbers.dtype() == DType::uint8 || !are_exact) return minimum(maximum(numbers, low), high);
  return call<ClipByValueOp>({numbers}, static_cast<double>(low), static_cast<double>(high));
}

Tensor zeros_like(const Tensor& x) { return full_like(x, 0.0); }
Tensor ones_like(const Tensor& x) { return full_like(x, 1.0); }
Tensor full_like(const Tensor& x, const Scalar& value) {
  if (x.is_empty() || is_floating(x.dtype())) return call<FullLikeOp>({x}, value.as_double());
  const Tensor held = number(value, x.dtype());
  constexpr std::int64_t exact_as_double = std::int64_t{1} << 53;
  const bool is_exact =
      value.is_floating() || std::clamp(value.as_integer(), -exact_as_double, exact_as_double) == value.as_integer();
  return is_exact ? call<FullLikeOp>({x}, value.as_double()) : broadcast_like(held, x);
}

}  // namespace ops
bool is_relu(const Op& op) { return dynamic_cast<const ops::ReluOp*>(&op) != nullptr; }
bool is_relu_gradient(const Op& op) { return dynamic_cast<const ops::ReluGradOp*>(&op) != nullptr; }

OpTable elementwise_activation_table() {
  return {
      plain_op<ReluOp>(1),         plain_op<TanhOp>(1),     plain_op<SigmoidOp>(1),  plain_op<SoftplusOp>(1),
      plain_op<SiluOp>(1),         plain_op<ReluGradOp>(2), plain_op<TanhGradOp>(2), plain_op<SigmoidGradOp>(2),
      plain_op<SoftplusGradOp>(2), plain_op<SiluGradOp>(2),
  };
}

}  // namespace rhyton
