#pragma once

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include <rhyton/models/losses/loss.h>

// Focal crossentropies (Lin et al., 2018, https://arxiv.org/abs/1708.02002): crossentropies times a power of what is
// missing to a certain prediction, so that hard samples count more than easy ones. Probabilities are clipped as in
// crossentropy.h.

namespace rhyton::losses {

/// One number for all classes or one for each class: `0.25` or `{0.1, 0.6, 0.3}`.
class PerClass {
 public:
  PerClass(double value) : values_{value} {}  // NOLINT(google-explicit-constructor): a number is one
  PerClass(std::initializer_list<double> values) : values_(values), is_list_(true) {}
  PerClass(std::vector<double> values) : values_(std::move(values)), is_list_(true) {}  // NOLINT

  const std::vector<double>& values() const { return values_; }
  bool is_list() const { return is_list_; }
  io::Json to_config() const { return is_list_ ? io::Json::array_from(values_) : io::Json(values_.front()); }
  static PerClass from_config(const io::Json& config);
  static constexpr const char* config_type = "a number or a list of numbers";

 private:
  std::vector<double> values_;
  bool is_list_ = false;
};

/// Mean over `axis` of -(1 - q)^gamma (y ln p + (1 - y) ln(1 - p)), where q = y p + (1 - y) (1 - p) is the probability
/// of the label, and y ← y (1 - label_smoothing) + label_smoothing / 2. With `apply_class_balancing` the terms are also
/// multiplied by y alpha + (1 - y) (1 - alpha). y_true and y_pred have one shape. With `from_logits`, p is the sigmoid
/// of y_pred. Throws ValueError in Keras's words when the shapes differ. (`keras.losses.binary_focal_crossentropy`)
Tensor binary_focal_crossentropy(const Tensor& y_true, const Tensor& y_pred, bool apply_class_balancing = false,
                                 double alpha = 0.25, double gamma = 2.0, bool from_logits = false,
                                 double label_smoothing = 0.0, int axis = -1);

/// -Σ alpha (1 - p)^gamma y ln p over `axis`, with p divided by its sum, y ← y (1 - label_smoothing) + label_smoothing
/// / classes and an alpha for all classes or one for each class of the last axis. y_true (one-hot or probabilities) and
/// y_pred have one shape. With `from_logits`, p is the softmax of y_pred. Shapes that do not broadcast throw
/// InvalidArgumentError. (`keras.losses.categorical_focal_crossentropy`)
Tensor categorical_focal_crossentropy(const Tensor& y_true, const Tensor& y_pred, const PerClass& alpha = 0.25,
                                      double gamma = 2.0, bool from_logits = false, double label_smoothing = 0.0,
                                      int axis = -1);

/// The options of BinaryFocalCrossentropy, in Keras's order.
struct BinaryFocalCrossentropyOptions {
  ByName by_name = ByName();
  /// Whether labels 1 have the weight `alpha` and labels 0 the weight 1 - `alpha`.
  bool apply_class_balancing = false;
  double alpha = 0.25;
  double gamma = 2.0;
  bool from_logits = false;
  double label_smoothing = 0.0;
  int axis = -1;
  std::string reduction = "sum_over_batch_size";
  std::string name = "binary_focal_crossentropy";
  std::string dtype = {};

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields("from_logits", self.from_logits);
    fields("label_smoothing", self.label_smoothing);
    fields("axis", self.axis);
    fields("apply_class_balancing", self.apply_class_balancing);
    fields("alpha", self.alpha);
    fields("gamma", self.gamma);
  }
};

/// See `binary_focal_crossentropy`. https://keras.io/api/losses/probabilistic_losses/#binaryfocalcrossentropy-class
class BinaryFocalCrossentropy : public Loss {
 public:
  explicit BinaryFocalCrossentropy(const BinaryFocalCrossentropyOptions& options = {});
};

/// The options of CategoricalFocalCrossentropy, in Keras's order.
struct CategoricalFocalCrossentropyOptions {
  ByName by_name = ByName();
  PerClass alpha = 0.25;
  double gamma = 2.0;
  bool from_logits = false;
  double label_smoothing = 0.0;
  int axis = -1;
  std::string reduction = "sum_over_batch_size";
  std::string name = "categorical_focal_crossentropy";
  std::string dtype = {};

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields("from_logits", self.from_logits);
    fields("label_smoothing", self.label_smoothing);
    fields("axis", self.axis);
    fields("alpha", self.alpha);
    fields("gamma", self.gamma);
  }
};

/// See `categorical_focal_crossentropy`.
/// https://keras.io/api/losses/probabilistic_losses/#categoricalfocalcrossentropy-class
class CategoricalFocalCrossentropy : public Loss {
 public:
  explicit CategoricalFocalCrossentropy(const CategoricalFocalCrossentropyOptions& options = {});
};

}  // namespace rhyton::losses
