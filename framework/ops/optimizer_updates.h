#pragma once

#include <rhyton/framework/ops/op.h>

namespace rhyton {
inline namespace ops {

// One step of an optimizer for one variable, in one pass over its elements. In all of them output i is the new value of
// input i and may overwrite it; `gradient` has the variable's spec, `learning_rate` is a scalar of float32 or of the
// variable's dtype, `iterations` an int64 scalar that counts the steps before this one. Weight decay and clipping are
// composed around them. They have no derivative. All throw InvalidArgumentError when specs do not fit.

/// keras.optimizers.SGD without momentum: w - lr g.
Tensor sgd_update(const Tensor& variable, const Tensor& gradient, const Tensor& learning_rate);

/// keras.optimizers.SGD with momentum: m = momentum m - lr g; w + m, or w + momentum m - lr g with `nesterov`. Returns
/// {w, m}.
std::vector<Tensor> sgd_momentum_update(const Tensor& variable, const Tensor& slot, const Tensor& gradient,
                                        const Tensor& learning_rate, double momentum, bool nesterov = false);

/// The attributes of Adam, as in keras.optimizers.Adam.
struct AdamAttributes {
  double beta_1 = 0.9;
  double beta_2 = 0.999;
  double epsilon = 1e-7;
};

/// keras.optimizers.Adam; returns {w, m, v}.
std::vector<Tensor> adam_update(const Tensor& variable, const Tensor& momentum, const Tensor& velocity,
                                const Tensor& gradient, const Tensor& learning_rate, const Tensor& iterations,
                                const AdamAttributes& attributes = {});

/// The same with `amsgrad`: divides by the root of the largest velocity so far; returns {w, m, v, v_hat}.
std::vector<Tensor> adam_amsgrad_update(const Tensor& variable, const Tensor& momentum, const Tensor& velocity,
                                        const Tensor& velocity_hat, const Tensor& gradient, const Tensor& learning_rate,
                                        const Tensor& iterations, const AdamAttributes& attributes = {});

/// The attributes of RMSprop, as in keras.optimizers.RMSprop.
struct RMSpropAttributes {
  double rho = 0.9;
  double momentum = 0.0;
  double epsilon = 1e-7;
  bool centered = false;
};

/// keras.optimizers.RMSprop. `momentum` is an empty tensor where the attribute is 0, `average_gradient` where it is not
/// centered; returns {w, velocity}, then momentum and average gradient if present.
std::vector<Tensor> rmsprop_update(const Tensor& variable, const Tensor& velocity, const Tensor& momentum,
                                   const Tensor& average_gradient, const Tensor& gradient, const Tensor& learning_rate,
                                   const RMSpropAttributes& attributes = {});

/// The base of the updates: `slots() + 1` inputs that are updated, the gradient, then scalars.
class OptimizerUpdateOp : public Op {
 public:
  virtual int slots() const = 0;
  virtual bool takes_iterations() const { return false; }

  std::vector<TensorSpec> infer(std::span<const TensorSpec> inputs) const override;
  bool is_elementwise() const override { return true; }
  bool may_overwrite(std::size_t input, std::size_t output) const override { return input == output; }
};

/// Inputs w, g, lr.
class SgdUpdateOp final : public OptimizerUpdateOp {
 public:
  std::string_view name() const override { return "SgdUpdate"; }
  int slots() const override { return 0; }
};

/// Inputs w, m, g, lr.
class SgdMomentumUpdateOp final : public OptimizerUpdateOp {
 public:
  explicit SgdMomentumUpdateOp(double momentum, bool nesterov = false) : momentum_(momentum), nesterov_(nesterov) {}
  double momentum() const { return momentum_; }
  bool nesterov() const { return nesterov_; }

  std::string_view name() const override { return "SgdMomentumUpdate"; }
  int slots() const override { return 1; }
  std::string attributes() const override;

 private:
  double momentum_;
  bool nesterov_;
};

/// Inputs w, m, v, g, lr, iterations; with `amsgrad` w, m, v, v_hat, g, lr, iterations.
class AdamUpdateOp final : public OptimizerUpdateOp {
 public:
  explicit AdamUpdateOp(const AdamAttributes& attributes = {}, bool amsgrad = false)
      : rates_(attributes), amsgrad_(amsgrad) {}
  const AdamAttributes& rates() const { return rates_; }
  bool amsgrad() const { return amsgrad_; }

  std::string_view name() const override { return "AdamUpdate"; }
  int slots() const override { return amsgrad_ ? 3 : 2; }
  bool takes_iterations() const override { return true; }
  std::string attributes() const override;

 private:
  AdamAttributes rates_;
  bool amsgrad_;
};

/// Inputs w, v, momentum if there is one, average gradient if centered, g, lr.
class RMSpropUpdateOp final : public OptimizerUpdateOp {
 public:
  explicit RMSpropUpdateOp(const RMSpropAttributes& attributes = {}) : rates_(attributes) {}
  const RMSpropAttributes& rates() const { return rates_; }

  std::string_view name() const override { return "RMSpropUpdate"; }
  int slots() const override { return 1 + (rates_.momentum > 0 ? 1 : 0) + (rates_.centered ? 1 : 0); }
  std::string attributes() const override;

 private:
  RMSpropAttributes rates_;
};

}  // namespace ops
}  // namespace rhyton
