#include <rhyton/models/metrics/iou.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <numeric>
#include <utility>

#include <rhyton/framework/context.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/gather.h>
#include <rhyton/framework/ops/listeners.h>
#include <rhyton/framework/ops/rearranging.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/segments.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/framework/serialization/config_writer.h>
#include <rhyton/framework/warning.h>

namespace rhyton::metrics {
namespace {

std::vector<int> all_of(int classes) {
  std::vector<int> ids(static_cast<std::size_t>(std::max(classes, 0)));
  std::iota(ids.begin(), ids.end(), 0);
  return ids;
}

template <class Options>
MetricOptions with_dtype(const Options& options) {
  return {.name = options.name, .dtype = options.dtype.empty() ? "int64" : options.dtype};
}

Tensor flat(const Tensor& x) { return x.rank() > 1 ? reshape(x, {-1}) : x; }

class IoUImpl : public MetricImpl {
 public:
  /// `own` are the arguments of the class for the configuration.
  IoUImpl(std::string class_name, const IoUArguments& arguments, io::Json own)
      : MetricImpl(std::move(class_name), with_dtype(arguments)), arguments_(arguments), own_(std::move(own)) {
    set_direction("up");
    confusion_matrix_ = add_variable({arguments.num_classes, arguments.num_classes}, "total_confusion_matrix");
    const int largest = arguments.target_class_ids.empty()
                            ? -1
                            : *std::max_element(arguments.target_class_ids.begin(), arguments.target_class_ids.end());
    if (largest >= arguments.num_classes) {
      throw ValueError("Target class id " + std::to_string(largest) + " is out of range, which is [0, " +
                       std::to_string(arguments.num_classes) + ").");
    }
    std::vector<std::int32_t> targets;
    for (const int id : arguments.target_class_ids) targets.push_back(id < 0 ? id + arguments.num_classes : id);
    const InitScope eager;
    targets_ = Tensor::from_data<std::int32_t>({static_cast<std::int64_t>(targets.size())}, targets);
  }

  void update_state(const Tensor& y_true, const Tensor& y_pred, const Tensor& sample_weight) override {
    const Tensor labels = flat(classes_of(y_true, arguments_.sparse_y_true));
    const Tensor predictions = flat(classes_of(y_pred, arguments_.sparse_y_pred));
    Tensor counts_in = in_range(labels);
    counts_in = logical_and(counts_in, in_range(predictions));
    if (arguments_.ignore_class) {
      counts_in = logical_and(counts_in, not_equal(labels, static_cast<std::int64_t>(*arguments_.ignore_class)));
    }
    const std::int64_t classes = arguments_.num_classes;
    // What does not count has no place in the matrix.
    const Tensor places = where(counts_in, labels * classes + predictions, std::int64_t{-1});
    const Tensor sums = segment_sum(weights_like(labels, sample_weight), places, classes * classes);
    confusion_matrix_.assign_add(reshape(sums, {classes, classes}));
  }

  Tensor result() const override {
    const Tensor matrix = confusion_matrix_.value();
    const Tensor hits = diagonal(matrix);
    const Tensor unions = sum(matrix, {0}) + sum(matrix, {1}) - hits;
    const Tensor intersection = cast(gather(hits, targets_), DType::float32);
    const Tensor all = cast(gather(unions, targets_), DType::float32);
    const Tensor is_present = all > 1e-9;
    const double epsilon = context().epsilon();
    const Tensor shares = where(is_present, intersection / (all + epsilon), 0.0);
    return sum(shares) / (sum(cast(is_present, DType::float32)) + epsilon);
  }

  io::Json get_config() const override {
    io::Json config = MetricImpl::get_config();
    for (const auto& [key, value] : own_.items()) config[key] = value;
    return config;
  }

 private:
  /// In int64, with their fractions cut off.
  Tensor classes_of(const Tensor& x, bool is_sparse) const {
    return cast(is_sparse ? x : argmax(x, arguments_.axis), DType::int64);
  }

  Tensor in_range(const Tensor& classes) const {
    return logical_and(greater_equal(classes, std::int64_t{0}),
                       less(classes, static_cast<std::int64_t>(arguments_.num_classes)));
  }

  /// The weights of the labels, in the metric's dtype.
  Tensor weights_like(const Tensor& labels, const Tensor& sample_weight) {
    if (sample_weight.is_empty()) return cast(ones_like(labels), dtype());
    if (is_floating(sample_weight.dtype()) && !is_floating(dtype()) && !has_warned_.exchange(true)) {
      warn(
          "You are passing weight as `float`, but dtype is `int`. This may result in an incorrect weight due to type "
          "casting Consider using integer weights.");
    }
    return broadcast_to(flat(cast(sample_weight, dtype())), labels.shape());
  }

  IoUArguments arguments_;
  io::Json own_;
  Variable confusion_matrix_;
  Tensor targets_;
  std::atomic<bool> has_warned_{false};
};

class BinaryIoUImpl final : public IoUImpl {
 public:
  explicit BinaryIoUImpl(const BinaryIoUOptions& options)
      : IoUImpl("BinaryIoU", IoUArguments{{.name = options.name, .dtype = options.dtype}, 2, options.target_class_ids},
                written(options)),
        threshold_(options.threshold) {}

  void update_state(const Tensor& y_true, const Tensor& y_pred, const Tensor& sample_weight) override {
    IoUImpl::update_state(y_true, cast(y_pred, DType::float32) >= threshold_, sample_weight);
  }

 private:
  double threshold_;
};

/// Those of IoU for labels with an axis of classes.
IoUOptions of_one_hot_labels(const OneHotIoUOptions& options) {
  return {.name = options.name,
          .dtype = options.dtype,
          .ignore_class = options.ignore_class,
          .sparse_y_true = false,
          .sparse_y_pred = options.sparse_y_pred,
          .axis = options.axis};
}

}  // namespace

IoU::IoU(int num_classes, const std::vector<int>& target_class_ids, const IoUOptions& options)
    : IoU(from_arguments({options, num_classes, target_class_ids})) {}

IoU IoU::from_arguments(const Arguments& arguments) {
  return IoU(make_metric<IoUImpl>("IoU", arguments, written(arguments)));
}

BinaryIoU::BinaryIoU(const BinaryIoUOptions& options) : Metric(make_metric<BinaryIoUImpl>(options)) {}

MeanIoU::MeanIoU(int num_classes, const MeanIoUOptions& options) : MeanIoU(from_arguments({options, num_classes})) {}

MeanIoU MeanIoU::from_arguments(const Arguments& arguments) {
  const IoUArguments all{arguments, arguments.num_classes, all_of(arguments.num_classes)};
  return MeanIoU(make_metric<IoUImpl>("MeanIoU", all, written(arguments)));
}

OneHotIoU::OneHotIoU(int num_classes, const std::vector<int>& target_class_ids, const OneHotIoUOptions& options)
    : OneHotIoU(from_arguments({options, num_classes, target_class_ids})) {}

OneHotIoU OneHotIoU::from_arguments(const Arguments& arguments) {
  const IoUArguments all{of_one_hot_labels(arguments), arguments.num_classes, arguments.target_class_ids};
  return OneHotIoU(make_metric<IoUImpl>("OneHotIoU", all, written(arguments)));
}

OneHotMeanIoU::OneHotMeanIoU(int num_classes, const OneHotIoUOptions& options)
    : OneHotMeanIoU(from_arguments({options, num_classes})) {}

OneHotMeanIoU OneHotMeanIoU::from_arguments(const Arguments& arguments) {
  const IoUArguments all{of_one_hot_labels(arguments), arguments.num_classes, all_of(arguments.num_classes)};
  return OneHotMeanIoU(make_metric<IoUImpl>("OneHotMeanIoU", all, written(arguments)));
}

}  // namespace rhyton::metrics
