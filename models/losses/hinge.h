#pragma once

#include <rhyton/models/losses/loss.h>

// Hinge losses. y_true and y_pred [batch, …, d] give values [batch, …].

namespace rhyton::losses {

/// mean max(1 - y p, 0) over the last axis. Labels are -1 and 1; if all labels of a batch are 0 or 1, 0 is read as -1.
/// (`keras.losses.hinge`)
Tensor hinge(const Tensor& y_true, const Tensor& y_pred);
/// mean max(1 - y p, 0)² with labels as in `hinge`. (`keras.losses.squared_hinge`)
Tensor squared_hinge(const Tensor& y_true, const Tensor& y_pred);
/// max(max((1 - y) p) - Σ y p + 1, 0) over the last axis, for labels 0 and 1. (`keras.losses.categorical_hinge`)
Tensor categorical_hinge(const Tensor& y_true, const Tensor& y_pred);

/// See `hinge`. https://keras.io/api/losses/hinge_losses/#hinge-class
class Hinge : public Loss {
 public:
  explicit Hinge(const LossOptions& options = {});
};

/// See `squared_hinge`. https://keras.io/api/losses/hinge_losses/#squaredhinge-class
class SquaredHinge : public Loss {
 public:
  explicit SquaredHinge(const LossOptions& options = {});
};

/// See `categorical_hinge`. https://keras.io/api/losses/hinge_losses/#categoricalhinge-class
class CategoricalHinge : public Loss {
 public:
  explicit CategoricalHinge(const LossOptions& options = {});
};

}  // namespace rhyton::losses
