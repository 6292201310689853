#pragma once

#include <optional>
#include <string>

#include <rhyton/models/losses/loss.h>

// Crossentropies. The functions give the values per sample, the classes reduce them. With ε = 1e-7 (`config::epsilon`),
// probabilities are clipped to [ε, 1 - ε], so that no value exceeds -ln ε = 16.1; logits have no such limit and are
// exact, so `from_logits` is the better choice for new models.

namespace rhyton::losses {

/// Mean over `axis` of -(y ln p + (1 - y) ln(1 - p)), with labels y ← y (1 - label_smoothing) + label_smoothing / 2.
/// y_true and y_pred have one shape. With `from_logits`, p is the sigmoid of y_pred.
/// Throws ValueError in Keras's words when the shapes differ. (`keras.losses.binary_crossentropy`)
Tensor binary_crossentropy(const Tensor& y_true, const Tensor& y_pred, bool from_logits = false,
                           double label_smoothing = 0.0, int axis = -1);

/// -Σ y ln p over `axis`, with p divided by its sum and labels y ← y (1 - label_smoothing) + label_smoothing / classes.
/// y_true (one-hot or probabilities) and y_pred have one shape. With `from_logits`, p is the softmax of y_pred.
/// Throws ValueError in Keras's words when the shapes differ. (`keras.losses.categorical_crossentropy`)
Tensor categorical_crossentropy(const Tensor& y_true, const Tensor& y_pred, bool from_logits = false,
                                double label_smoothing = 0.0, int axis = -1);

/// -ln p of the label's class: y_true holds class indices, of any dtype, with the shape of y_pred without its last axis
/// (or with 1 in its place). With `from_logits`, p is the softmax of y_pred. Where the label is `ignore_class` the
/// value is 0, and the mask of the values false. Throws ValueError in Keras's words for other shapes or axes; a label
/// out of range throws InvalidArgumentError when the value is computed.
/// (`keras.losses.sparse_categorical_crossentropy`)
Tensor sparse_categorical_crossentropy(const Tensor& y_true, const Tensor& y_pred, bool from_logits = false,
                                       std::optional<int> ignore_class = std::nullopt, int axis = -1);

/// The options of BinaryCrossentropy, in Keras's order.
struct BinaryCrossentropyOptions {
  ByName by_name = ByName();
  bool from_logits = false;
  double label_smoothing = 0.0;
  int axis = -1;
  std::string reduction = "sum_over_batch_size";
  std::string name = "binary_crossentropy";
  std::string dtype = {};

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields("from_logits", self.from_logits);
    fields("label_smoothing", self.label_smoothing);
    fields("axis", self.axis);
  }
};

/// See `binary_crossentropy`. https://keras.io/api/losses/probabilistic_losses/#binarycrossentropy-class
class BinaryCrossentropy : public Loss {
 public:
  explicit BinaryCrossentropy(const BinaryCrossentropyOptions& options = {});
};

/// The options of CategoricalCrossentropy, in Keras's order.
struct CategoricalCrossentropyOptions {
  ByName by_name = ByName();
  bool from_logits = false;
  double label_smoothing = 0.0;
  int axis = -1;
  std::string reduction = "sum_over_batch_size";
  std::string name = "categorical_crossentropy";
  std::string dtype = {};

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields("from_logits", self.from_logits);
    fields("label_smoothing", self.label_smoothing);
    fields("axis", self.axis);
  }
};

/// See `categorical_crossentropy`. https://keras.io/api/losses/probabilistic_losses/#categoricalcrossentropy-class
class CategoricalCrossentropy : public Loss {
 public:
  explicit CategoricalCrossentropy(const CategoricalCrossentropyOptions& options = {});
};

/// The options of SparseCategoricalCrossentropy, in Keras's order.
struct SparseCategoricalCrossentropyOptions {
  ByName by_name = ByName();
  bool from_logits = false;
  /// Samples with this label count neither in the sum nor in the divisor of a mean.
  std::optional<int> ignore_class = std::nullopt;
  std::string reduction = "sum_over_batch_size";
  int axis = -1;
  std::string name = "sparse_categorical_crossentropy";
  std::string dtype = {};

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields("from_logits", self.from_logits);
    fields("ignore_class", self.ignore_class);
    fields.unless_default("axis", self.axis,
                          SparseCategoricalCrossentropyOptions().axis);  // Keras omits it and reads it
  }
};

/// See `sparse_categorical_crossentropy`.
/// https://keras.io/api/losses/probabilistic_losses/#sparsecategoricalcrossentropy-class
class SparseCategoricalCrossentropy : public Loss {
 public:
  explicit SparseCategoricalCrossentropy(const SparseCategoricalCrossentropyOptions& options = {});
};

}  // namespace rhyton::losses
