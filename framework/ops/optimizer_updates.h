#pragma once

#include <cstdint>

#include <rhyton/framework/ops/op.h>

namespace rhyton {
inline namespace ops {

// One step of an optimizer for one variable, in one pass over its elements. In all of them output i is the new value of
// input i and may overwrite it; `gradient` has the variable's spec, `learning_rate` is a scalar of float32 or of the
// variable's dtype, `iterations` an int64 scalar that counts the steps before this one. Weight decay, but for Adam's,
// and clipping are composed around them. They have no derivative. All throw InvalidArgumentError when specs do not fit.

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

/// keras.optimizers.Adam; returns {w, m, v}. First w - weight_decay lr w takes the place of w, as in
/// keras.optimizers.AdamW.
std::vector<Tensor> adam_update(const Tensor& variable, const Tensor& momentum, const Tensor& velocity,
                                const Tensor& gradient, const Tensor& learning_rate, const Tensor& iterations,
                                const AdamAttributes& attributes = {}, double weight_decay = 0.0);

/// The same with `amsgrad`: divides by the root of the largest velocity so far; returns {w, m, v, v_hat}.
std::vector<Tensor> adam_amsgrad_update(const Tensor& variable, const Tensor& momentum, const Tensor& velocity,
                                        const Tensor& velocity_hat, const Tensor& gradient, const Tensor& learning_rate,
                                        const Tensor& iterations, const AdamAttributes& attributes = {},
                                        double weight_decay = 0.0);

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

/// The attributes of Adadelta, as in keras.optimizers.Adadelta.
struct AdadeltaAttributes {
  double rho = 0.95;
  double epsilon = 1e-7;
};

/// keras.optimizers.Adadelta, with the averages of squared gradients and of squared changes; returns {w, gradients,
/// changes}.
std::vector<Tensor> adadelta_update(const Tensor& variable, const Tensor& gradients, const Tensor& changes,
                                    const Tensor& gradient, const Tensor& learning_rate,
                                    const AdadeltaAttributes& attributes = {});

/// keras.optimizers.Adagrad: a + g²; w - lr g / √(a + ε). Returns {w, a}.
std::vector<Tensor> adagrad_update(const Tensor& variable, const Tensor& accumulator, const Tensor& gradient,
                                   const Tensor& learning_rate, double epsilon = 1e-7);

/// keras.optimizers.Adamax; returns {w, m, u}.
std::vector<Tensor> adamax_update(const Tensor& variable, const Tensor& momentum, const Tensor& norm,
                                  const Tensor& gradient, const Tensor& learning_rate, const Tensor& iterations,
                                  const AdamAttributes& attributes = {});

/// The attributes of Ftrl, as in keras.optimizers.Ftrl.
struct FtrlAttributes {
  double learning_rate_power = -0.5;
  double l1_regularization_strength = 0.0;
  double l2_regularization_strength = 0.0;
  double l2_shrinkage_regularization_strength = 0.0;
  double beta = 0.0;
};

/// keras.optimizers.Ftrl; returns {w, accumulator, linear}.
std::vector<Tensor> ftrl_update(const Tensor& variable, const Tensor& accumulator, const Tensor& linear,
                                const Tensor& gradient, const Tensor& learning_rate,
                                const FtrlAttributes& attributes = {});

/// The attributes of Lion, as in keras.optimizers.Lion.
struct LionAttributes {
  double beta_1 = 0.9;
  double beta_2 = 0.99;
};

/// keras.optimizers.Lion; returns {w, m}.
std::vector<Tensor> lion_update(const Tensor& variable, const Tensor& momentum, const Tensor& gradient,
                                const Tensor& learning_rate, const LionAttributes& attributes = {});

/// keras.optimizers.Nadam; `product` is a scalar of the variable's dtype, the product of the momentum's rates at all
/// steps up to this one. Returns {w, m, v}.
std::vector<Tensor> nadam_update(const Tensor& variable, const Tensor& momentum, const Tensor& velocity,
                                 const Tensor& gradient, const Tensor& learning_rate, const Tensor& iterations,
                                 const Tensor& product, const AdamAttributes& attributes = {});

/// The attributes of ScheduleFreeAdamW, as in keras.optimizers.ScheduleFreeAdamW.
struct ScheduleFreeAttributes {
  double beta_1 = 0.9;
  double beta_2 = 0.999;
  double epsilon = 1e-8;
  int warmup_steps = 0;
};

/// keras.optimizers.ScheduleFreeAdamW; returns {y, z, v}: the variable, where gradients are taken, lies between the
/// sequence z and the average x of its members, and x follows from y and z.
std::vector<Tensor> schedule_free_adamw_update(const Tensor& variable, const Tensor& momentum, const Tensor& velocity,
                                               const Tensor& gradient, const Tensor& learning_rate,
                                               const Tensor& iterations, const ScheduleFreeAttributes& attributes = {});

/// The result of `lamb_direction`.
struct LambDirection {
  Tensor momentum;
  Tensor velocity;
  /// The update before it is scaled, u = m / (1 - β₁ᵗ) / (√(v / (1 - β₂ᵗ)) + ε).
  Tensor direction;
  /// The sums of squares of the variable and of the direction, each over `LambDirectionOp::block` elements that follow
  /// each other.
  Tensor variable_squares;
  Tensor direction_squares;
};

/// The first pass of keras.optimizers.Lamb, whose second is `sgd_update` by the direction with a rate that depends on
/// the norms: the averages m and v, the direction, and what the norms are sums of. The direction may overwrite the
/// gradient.
LambDirection lamb_direction(const Tensor& variable, const Tensor& momentum, const Tensor& velocity,
                             const Tensor& gradient, const Tensor& iterations, const AdamAttributes& attributes = {});

/// The base of the updates: `slots() + 1` inputs that are updated, the gradient, then scalars.
class OptimizerUpdateOp : public Op {
 public:
  virtual int slots() const = 0;
  virtual bool takes_iterations() const { return false; }
  /// Whether a scalar of the variable's dtype follows the iterations.
  virtual bool takes_product() const { return false; }

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
  explicit AdamUpdateOp(const AdamAttributes& attributes = {}, bool amsgrad = false, double weight_decay = 0.0)
      : rates_(attributes), amsgrad_(amsgrad), weight_decay_(weight_decay) {}
  const AdamAttributes& rates() const { return rates_; }
  bool amsgrad() const { return amsgrad_; }
  double weight_decay() const { return weight_decay_; }

  std::string_view name() const override { return "AdamUpdate"; }
  int slots() const override { return amsgrad_ ? 3 : 2; }
  bool takes_iterations() const override { return true; }
  std::string attributes() const override;

 private:
  AdamAttributes rates_;
  bool amsgrad_;
  double weight_decay_;
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

/// Inputs w, the averages of squared gradients and changes, g, lr.
class AdadeltaUpdateOp final : public OptimizerUpdateOp {
 public:
  static constexpr const char* op_name = "AdadeltaUpdate";

  explicit AdadeltaUpdateOp(const AdadeltaAttributes& attributes = {}) : rates_(attributes) {}
  const AdadeltaAttributes& rates() const { return rates_; }

  std::string_view name() const override { return op_name; }
  int slots() const override { return 2; }
  std::string attributes() const override;

 private:
  AdadeltaAttributes rates_;
};

/// Inputs w, accumulator, g, lr.
class AdagradUpdateOp final : public OptimizerUpdateOp {
 public:
  static constexpr const char* op_name = "AdagradUpdate";

  explicit AdagradUpdateOp(double epsilon = 1e-7) : epsilon_(epsilon) {}
  double epsilon() const { return epsilon_; }

  std::string_view name() const override { return op_name; }
  int slots() const override { return 1; }
  std::string attributes() const override;

 private:
  double epsilon_;
};

/// Inputs w, m, u, g, lr, iterations.
class AdamaxUpdateOp final : public OptimizerUpdateOp {
 public:
  static constexpr const char* op_name = "AdamaxUpdate";

  explicit AdamaxUpdateOp(const AdamAttributes& attributes = {}) : rates_(attributes) {}
  const AdamAttributes& rates() const { return rates_; }

  std::string_view name() const override { return op_name; }
  int slots() const override { return 2; }
  bool takes_iterations() const override { return true; }
  std::string attributes() const override;

 private:
  AdamAttributes rates_;
};

/// Inputs w, accumulator, linear, g, lr.
class FtrlUpdateOp final : public OptimizerUpdateOp {
 public:
  static constexpr const char* op_name = "FtrlUpdate";

  explicit FtrlUpdateOp(const FtrlAttributes& attributes = {}) : rates_(attributes) {}
  const FtrlAttributes& rates() const { return rates_; }

  std::string_view name() const override { return op_name; }
  int slots() const override { return 2; }
  std::string attributes() const override;

 private:
  FtrlAttributes rates_;
};

/// Inputs w, m, g, lr.
class LionUpdateOp final : public OptimizerUpdateOp {
 public:
  static constexpr const char* op_name = "LionUpdate";

  explicit LionUpdateOp(const LionAttributes& attributes = {}) : rates_(attributes) {}
  const LionAttributes& rates() const { return rates_; }

  std::string_view name() const override { return op_name; }
  int slots() const override { return 1; }
  std::string attributes() const override;

 private:
  LionAttributes rates_;
};

/// Inputs w, m, v, g, lr, iterations, product.
class NadamUpdateOp final : public OptimizerUpdateOp {
 public:
  static constexpr const char* op_name = "NadamUpdate";

  explicit NadamUpdateOp(const AdamAttributes& attributes = {}) : rates_(attributes) {}
  const AdamAttributes& rates() const { return rates_; }

  std::string_view name() const override { return op_name; }
  int slots() const override { return 2; }
  bool takes_iterations() const override { return true; }
  bool takes_product() const override { return true; }
  std::string attributes() const override;

 private:
  AdamAttributes rates_;
};

/// Inputs y, z, v, g, lr, iterations.
class ScheduleFreeAdamWUpdateOp final : public OptimizerUpdateOp {
 public:
  static constexpr const char* op_name = "ScheduleFreeAdamWUpdate";

  explicit ScheduleFreeAdamWUpdateOp(const ScheduleFreeAttributes& attributes = {}) : rates_(attributes) {}
  const ScheduleFreeAttributes& rates() const { return rates_; }

  std::string_view name() const override { return op_name; }
  int slots() const override { return 2; }
  bool takes_iterations() const override { return true; }
  std::string attributes() const override;

 private:
  ScheduleFreeAttributes rates_;
};

/// Inputs w, m, v, g, iterations; outputs m, v, direction, then two vectors of sums over blocks.
class LambDirectionOp final : public Op {
 public:
  static constexpr const char* op_name = "LambDirection";
  /// The elements whose squares are added up by a kernel, in an order of its own; what results depend on.
  static constexpr std::int64_t block = 1024;
  static constexpr std::int64_t blocks_of(std::int64_t elements) { return (elements + block - 1) / block; }

  explicit LambDirectionOp(const AdamAttributes& attributes = {}) : rates_(attributes) {}
  const AdamAttributes& rates() const { return rates_; }

  std::string_view name() const override { return op_name; }
  std::vector<TensorSpec> infer(std::span<const TensorSpec> inputs) const override;
  bool may_overwrite(std::size_t input, std::size_t output) const override { return input == output + 1 && input < 4; }
  std::string attributes() const override;

 private:
  AdamAttributes rates_;
};

}  // namespace ops
}  // namespace rhyton
