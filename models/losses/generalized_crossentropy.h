#pragma once

#include <string>

#include <rhyton/models/losses/loss.h>

// The generalized crossentropy (Zhang, Sabuncu, 2018, https://arxiv.org/abs/1805.07836), for labels some of which are
// wrong.

namespace rhyton::losses {

/// (1 - p^q) / q, where p is the probability in y_pred [batch, classes] of the class that y_true [batch] is: like the
/// crossentropy for q near 0, like the mean absolute error for q near 1. A class that y_pred does not have has the
/// probability 0. As in Keras, labels [batch, 1] give [batch, batch]: each label with each prediction.
/// (`keras.losses.categorical_generalized_cross_entropy`)
Tensor categorical_generalized_cross_entropy(const Tensor& y_true, const Tensor& y_pred, double q);

/// The options of CategoricalGeneralizedCrossEntropy, in Keras's order.
struct CategoricalGeneralizedCrossEntropyOptions {
  ByName by_name = ByName();
  /// Between 0 and 1.
  double q = 0.5;
  std::string reduction = "sum_over_batch_size";
  std::string name = "categorical_generalized_cross_entropy";
  std::string dtype = {};

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields("q", self.q);
  }
};

/// See `categorical_generalized_cross_entropy`. As in Keras, no string names this loss. Throws ValueError in Keras's
/// words for a q that is not between 0 and 1.
/// https://keras.io/api/losses/probabilistic_losses/#categoricalgeneralizedcrossentropy-class
class CategoricalGeneralizedCrossEntropy : public Loss {
 public:
  explicit CategoricalGeneralizedCrossEntropy(const CategoricalGeneralizedCrossEntropyOptions& options = {});
};

}  // namespace rhyton::losses
