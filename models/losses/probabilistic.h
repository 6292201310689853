#pragma once

#include <rhyton/models/losses/loss.h>

// Divergences between distributions. y_true and y_pred [batch, …, d] give values [batch, …].

namespace rhyton::losses {

/// Σ y ln(y / p) over the last axis, y and p clipped to [ε, 1]. (`keras.losses.kl_divergence`)
Tensor kl_divergence(const Tensor& y_true, const Tensor& y_pred);
/// mean (p - y ln(p + ε)) over the last axis. (`keras.losses.poisson`)
Tensor poisson(const Tensor& y_true, const Tensor& y_pred);

/// See `kl_divergence`. https://keras.io/api/losses/probabilistic_losses/#kldivergence-class
class KLDivergence : public Loss {
 public:
  explicit KLDivergence(const LossOptions& options = {});
};

/// See `poisson`. https://keras.io/api/losses/probabilistic_losses/#poisson-class
class Poisson : public Loss {
 public:
  explicit Poisson(const LossOptions& options = {});
};

}  // namespace rhyton::losses
