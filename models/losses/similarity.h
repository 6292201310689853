#pragma once

#include <string>

#include <rhyton/models/losses/loss.h>

// The circle loss (Sun et al., 2020, https://arxiv.org/abs/2002.10857), which brings embeddings of one class together and
// those of different classes apart.

namespace rhyton::losses {

/// For each embedding in y_pred [batch, size], of length 1, softplus(ln Σ e^-γ(m + d)⁺(m - d) + ln Σ e^γ(1 + m - d)⁺(1
/// - m
/// - d)): the first sum is over the reference embeddings of the same class, the second over those of other classes; d
///   is
/// the cosine distance to them, γ is `gamma` and m `margin`. y_true [batch] or [batch, 1] holds the classes. The
/// references are `ref_embeddings` [references, size] with the classes `ref_labels`, by default the batch itself; with
/// `remove_diagonal` reference i does not count for embedding i. The value is 0 where there is none of the same or none
/// of another class; the mask of the values is true where they are above 0. (`keras.losses.circle`)
Tensor circle(const Tensor& y_true, const Tensor& y_pred, const Tensor& ref_labels = {},
              const Tensor& ref_embeddings = {}, bool remove_diagonal = true, double gamma = 80.0, double margin = 0.4);

/// The options of Circle, in Keras's order.
struct CircleOptions {
  ByName by_name = ByName();
  double gamma = 80.0;
  double margin = 0.4;
  /// Whether the distance of an embedding to itself is left out.
  bool remove_diagonal = true;
  std::string reduction = "sum_over_batch_size";
  std::string name = "circle";
  std::string dtype = {};

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields("gamma", self.gamma);
    fields("margin", self.margin);
    fields("remove_diagonal", self.remove_diagonal);
  }
};

/// See `circle`. Embeddings with the value 0 count neither in the sum nor in the divisor of a mean. The last layer of a
/// model is best a UnitNormalization. https://keras.io/api/losses/similarity_losses/#circle-class
class Circle : public Loss {
 public:
  explicit Circle(const CircleOptions& options = {});
};

}  // namespace rhyton::losses
