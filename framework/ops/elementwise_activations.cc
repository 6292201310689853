#include <rhyton/framework/ops/elementwise.h>

#include <cmath>
#include <numbers>

#include <rhyton/framework/ops/parametric_elementwise.h>

namespace rhyton {
inline namespace ops {
namespace {

/// Inputs: dy and relu's output y. Its value is dy where y > 0, else 0.
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

/// Inputs: dy and tanh's output y. Its value is dy · (1 - y²).
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

/// Inputs: dy and sigmoid's output y. Its value is dy · y · (1 - y).
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

/// Inputs: dy, x. Its value is dy · sigmoid(x).
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

/// Inputs: dy, x. Its value is dy · (s + x s (1 - s)) with s = sigmoid(x).
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
  return zero_is_above ? where(equal(x, 0.0), dy, dx) : dx;
}

Tensor EluGradOp::left_derivative(const Tensor&, const Tensor& x, const Tensor&, const Tensor& g) const {
  return call<EluGradOp>({g, x}, alpha);
}

Tensor EluGradOp::right_derivative(const Tensor& dy, const Tensor& x, const Tensor&, const Tensor& g) const {
  return where(x > 0.0, 0.0, g * dy * exp(minimum(x, 0.0)) * alpha);
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

Tensor ClipByValueOp::derivative(const Tensor& x, const Tensor&, const Tensor& dy) const {
  const Tensor is_within = flat_at_borders ? logical_and(x > lowest, x < highest)  //
                                           : logical_and(x >= lowest, x <= highest);
  return where(is_within, dy, 0.0);
}

Tensor relu(const Tensor& x) { return call<ReluOp>({x}); }
Tensor tanh(const Tensor& x) { return call<TanhOp>({x}); }
Tensor sigmoid(const Tensor& x) { return call<SigmoidOp>({x}); }
Tensor leaky_relu(const Tensor& x, double negative_slope) { return call<LeakyReluOp>({x}, negative_slope); }
Tensor elu(const Tensor& x, double alpha) { return call<EluOp>({x}, alpha); }
Tensor gelu(const Tensor& x, bool approximate) { return call<GeluOp>({x}, approximate); }
Tensor silu(const Tensor& x) { return call<SiluOp>({x}); }
Tensor softplus(const Tensor& x) { return call<SoftplusOp>({x}); }
Tensor clip_by_value(const Tensor& x, double lowest, double highest) {
  return call<ClipByValueOp>({x}, lowest, highest);
}

Tensor zeros_like(const Tensor& x) { return full_like(x, 0.0); }
Tensor ones_like(const Tensor& x) { return full_like(x, 1.0); }
Tensor full_like(const Tensor& x, double value) { return call<FullLikeOp>({x}, value); }

}  // namespace ops
}  // namespace rhyton
