#pragma once

#include <optional>
#include <string>

#include <rhyton/layers/axes.h>
#include <rhyton/models/losses/loss.h>

// Losses of overlaps of regions, for the segmentation of images. The sums are over `axis`: one axis, several, or with
// `std::nullopt`, Keras's None, all of them, also that of the batch, where the loss is one number, which reductions
// leave as it is. To get one value per sample, name the other axes: `{1, 2, 3}` for images.

namespace rhyton::losses {

/// 1 - 2 Σ y p / (Σ y + Σ p + ε) over `axis`, with ε = 1e-7 (`config::epsilon`). (`keras.losses.dice`)
Tensor dice(const Tensor& y_true, const Tensor& y_pred, const layers::OptionalAxes& axis = std::nullopt);

/// 1 - Σ y p / (Σ y p + alpha Σ (1 - p) y + beta Σ (1 - y) p + ε) over `axis`, with ε = 1e-7 (`config::epsilon`). In
/// spite of Keras's description of the two, `alpha` weights what is missed and `beta` what is too much. (Salehi et al.,
/// 2017, https://arxiv.org/abs/1706.05721; `keras.losses.tversky`)
Tensor tversky(const Tensor& y_true, const Tensor& y_pred, double alpha = 0.5, double beta = 0.5,
               const layers::OptionalAxes& axis = std::nullopt);

/// The options of Dice, in Keras's order.
struct DiceOptions {
  ByName by_name = ByName();
  std::string reduction = "sum_over_batch_size";
  std::string name = "dice";
  /// `1`, `{1, 2, 3}`, or `std::nullopt`: all axes together.
  layers::OptionalAxes axis = std::nullopt;
  std::string dtype = {};

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields("axis", self.axis.value());
  }
};

/// See `dice`. https://keras.io/api/losses/segmentation_losses/#dice-class
class Dice : public Loss {
 public:
  explicit Dice(const DiceOptions& options = {});
};

/// The options of Tversky, in Keras's order.
struct TverskyOptions {
  ByName by_name = ByName();
  double alpha = 0.5;
  double beta = 0.5;
  std::string reduction = "sum_over_batch_size";
  std::string name = "tversky";
  /// `1`, `{1, 2, 3}`, or `std::nullopt`: all axes together.
  layers::OptionalAxes axis = std::nullopt;
  std::string dtype = {};

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields("alpha", self.alpha);
    fields("beta", self.beta);
    fields.unless_default("axis", self.axis.value(), std::optional<layers::Axes>());  // older versions refuse it
  }
};

/// See `tversky`. https://keras.io/api/losses/segmentation_losses/#tversky-class
class Tversky : public Loss {
 public:
  explicit Tversky(const TverskyOptions& options = {});
};

}  // namespace rhyton::losses
