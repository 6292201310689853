#pragma once

#include <optional>
#include <string>
#include <vector>

#include <rhyton/models/metrics/metric.h>

// Intersections over unions of the classes of images or other segmentations: of the elements whose label or prediction
// is a class, the part where both are, true positives / (true positives + false positives + false negatives).
//
// Labels and predictions are classes of any shape, or, where they are not sparse, have an axis of classes of which the
// largest counts. `sample_weight` is a number, or has an element for each label. Classes out of range do not count. A
// class without labels and predictions is left out of the mean. The state is `total_confusion_matrix` [classes,
// classes], labels by predictions, in int64 unless there is a dtype: weights with fractions need a floating `dtype`.

namespace rhyton::metrics {

/// The options of IoU, in Keras's order.
struct IoUOptions {
  ByName by_name = ByName();
  std::string name = {};
  /// int64 if empty.
  std::string dtype = {};
  /// Labels of this class do not count.
  std::optional<int> ignore_class = std::nullopt;
  /// Whether labels, and predictions, are classes.
  bool sparse_y_true = true;
  bool sparse_y_pred = true;
  /// The axis of the classes where they are not.
  int axis = -1;
};

/// All arguments of IoU.
struct IoUArguments : IoUOptions {
  int num_classes = 0;
  std::vector<int> target_class_ids = {};

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields.required("num_classes", self.num_classes);
    fields.required("target_class_ids", self.target_class_ids);
    fields("ignore_class", self.ignore_class);
    fields("sparse_y_true", self.sparse_y_true);
    fields("sparse_y_pred", self.sparse_y_pred);
    fields("axis", self.axis);
  }
};

/// The mean over the classes `target_class_ids`, of `num_classes`. Throws ValueError for a class out of range.
/// https://keras.io/api/metrics/segmentation_metrics/#iou-class
class IoU : public Metric {
 public:
  using Arguments = IoUArguments;

  IoU(int num_classes, const std::vector<int>& target_class_ids, const IoUOptions& options = {});
  static IoU from_arguments(const Arguments& arguments);

 private:
  explicit IoU(const Metric& metric) : Metric(metric) {}
};

/// The options of BinaryIoU, in Keras's order.
struct BinaryIoUOptions {
  ByName by_name = ByName();
  std::vector<int> target_class_ids = {0, 1};
  /// Predictions from it on are of class 1.
  double threshold = 0.5;
  std::string name = {};
  /// int64 if empty.
  std::string dtype = {};

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields("target_class_ids", self.target_class_ids);
    fields("threshold", self.threshold);
  }
};

/// IoU of two classes, of which class 1 is predicted by numbers from a threshold on.
/// https://keras.io/api/metrics/segmentation_metrics/#binaryiou-class
class BinaryIoU : public Metric {
 public:
  explicit BinaryIoU(const BinaryIoUOptions& options = {});
};

/// The options of MeanIoU, in Keras's order: those of IoU.
using MeanIoUOptions = IoUOptions;

/// All arguments of MeanIoU.
struct MeanIoUArguments : MeanIoUOptions {
  int num_classes = 0;

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields.required("num_classes", self.num_classes);
    fields("ignore_class", self.ignore_class);
    fields("sparse_y_true", self.sparse_y_true);
    fields("sparse_y_pred", self.sparse_y_pred);
    fields("axis", self.axis);
  }
};

/// IoU of all classes. https://keras.io/api/metrics/segmentation_metrics/#meaniou-class
class MeanIoU : public Metric {
 public:
  using Arguments = MeanIoUArguments;

  explicit MeanIoU(int num_classes, const MeanIoUOptions& options = {});
  static MeanIoU from_arguments(const Arguments& arguments);

 private:
  explicit MeanIoU(const Metric& metric) : Metric(metric) {}
};

/// The options of OneHotIoU and OneHotMeanIoU, in Keras's order.
struct OneHotIoUOptions {
  ByName by_name = ByName();
  std::string name = {};
  /// int64 if empty.
  std::string dtype = {};
  /// Labels of this class do not count.
  std::optional<int> ignore_class = std::nullopt;
  /// Whether predictions are classes.
  bool sparse_y_pred = false;
  /// The axis of the classes.
  int axis = -1;
};

/// All arguments of OneHotIoU.
struct OneHotIoUArguments : OneHotIoUOptions {
  int num_classes = 0;
  std::vector<int> target_class_ids = {};

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields.required("num_classes", self.num_classes);
    fields.required("target_class_ids", self.target_class_ids);
    fields("ignore_class", self.ignore_class);
    fields("sparse_y_pred", self.sparse_y_pred);
    fields("axis", self.axis);
  }
};

/// IoU of labels with an axis of classes. https://keras.io/api/metrics/segmentation_metrics/#onehotiou-class
class OneHotIoU : public Metric {
 public:
  using Arguments = OneHotIoUArguments;

  OneHotIoU(int num_classes, const std::vector<int>& target_class_ids, const OneHotIoUOptions& options = {});
  static OneHotIoU from_arguments(const Arguments& arguments);

 private:
  explicit OneHotIoU(const Metric& metric) : Metric(metric) {}
};

/// All arguments of OneHotMeanIoU.
struct OneHotMeanIoUArguments : OneHotIoUOptions {
  int num_classes = 0;

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields.required("num_classes", self.num_classes);
    fields("ignore_class", self.ignore_class);
    fields("sparse_y_pred", self.sparse_y_pred);
    fields("axis", self.axis);
  }
};

/// MeanIoU of labels with an axis of classes. https://keras.io/api/metrics/segmentation_metrics/#onehotmeaniou-class
class OneHotMeanIoU : public Metric {
 public:
  using Arguments = OneHotMeanIoUArguments;

  explicit OneHotMeanIoU(int num_classes, const OneHotIoUOptions& options = {});
  static OneHotMeanIoU from_arguments(const Arguments& arguments);

 private:
  explicit OneHotMeanIoU(const Metric& metric) : Metric(metric) {}
};

}  // namespace rhyton::metrics
