#include <rhyton/models/metrics/confusion.h>

#include <memory>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/framework/ops/special_values.h>
#include <rhyton/framework/serialization/config_writer.h>
#include <rhyton/models/metrics/confusion_counts.h>

namespace rhyton::metrics {
namespace {

std::vector<double> checked(const Thresholds& thresholds, double default_threshold) {
  if (thresholds.is_empty()) return {default_threshold};
  require_in_unit_interval(thresholds.values());
  return thresholds.values();
}

Shape shape_of(const std::vector<double>& thresholds) { return {static_cast<std::int64_t>(thresholds.size())}; }

/// A vector of one element as a number.
Tensor number_or_vector(const Tensor& values) { return values.shape()[0] == 1 ? reshape(values, Shape{}) : values; }

/// a / (a + b), 0 where both are 0.
Tensor share_of(const Variable& a, const Variable& b) {
  const Tensor part = a.value();
  return divide_no_nan(part, part + b.value());
}

class ConfusionCountImpl final : public MetricImpl {
 public:
  using Count = const Variable* ConfusionVariables::*;

  ConfusionCountImpl(std::string class_name, Count count, const ConfusionCountOptions& options)
      : MetricImpl(std::move(class_name), {.name = options.name, .dtype = options.dtype}),
        options_(options),
        confusion_{.thresholds = checked(options.thresholds, 0.5)},
        accumulator_(add_variable(shape_of(confusion_.thresholds), "accumulator", floatx())) {
    confusion_.is_even = are_even(confusion_.thresholds);
    variables_.*count = &accumulator_;
  }

  void update_state(const Tensor& y_true, const Tensor& y_pred, const Tensor& sample_weight) override {
    add_confusion(variables_, confusion_, y_true, y_pred, sample_weight);
  }
  Tensor result() const override { return number_or_vector(accumulator_.value()); }
  io::Json get_config() const override { return written(MetricImpl::get_config(), options_); }

 private:
  ConfusionCountOptions options_;
  ConfusionOptions confusion_;
  Variable accumulator_;
  ConfusionVariables variables_;
};

/// Precision and Recall: true positives and the other count.
template <class Options>
class ShareImpl final : public MetricImpl {
 public:
  ShareImpl(std::string class_name, ConfusionCountImpl::Count other, const char* other_name, const Options& options)
      : MetricImpl(std::move(class_name), {.name = options.name, .dtype = options.dtype}),
        options_(options),
        confusion_{.thresholds = checked(options.thresholds, options.top_k ? below_all_thresholds : 0.5),
                   .top_k = options.top_k,
                   .class_id = options.class_id},
        true_positives_(add_variable(shape_of(confusion_.thresholds), "true_positives", floatx())),
        other_(add_variable(shape_of(confusion_.thresholds), other_name, floatx())) {
    set_direction("up");
    confusion_.is_even = are_even(confusion_.thresholds);
    variables_.true_positives = &true_positives_;
    variables_.*other = &other_;
  }

  void update_state(const Tensor& y_true, const Tensor& y_pred, const Tensor& sample_weight) override {
    add_confusion(variables_, confusion_, y_true, y_pred, sample_weight);
  }
  Tensor result() const override { return number_or_vector(share_of(true_positives_, other_)); }
  io::Json get_config() const override { return written(MetricImpl::get_config(), options_); }

 private:
  Options options_;
  ConfusionOptions confusion_;
  Variable true_positives_;
  Variable other_;
  ConfusionVariables variables_;
};

void require_share(const char* argument, double value) {
  if (value >= 0 && value <= 1) return;
  const std::string name = argument;
  throw ValueError("Argument `" + name + "` must be in the range [0, 1]. Received: " + name + "=" +
                   io::Json(value).dump());
}

/// The counts at each threshold, from which two shares are computed.
struct Counts {
  Variable true_positives;
  Variable false_positives;
  Variable true_negatives;
  Variable false_negatives;

  Tensor sensitivity() const { return share_of(true_positives, false_negatives); }
  Tensor specificity() const { return share_of(true_negatives, false_positives); }
  Tensor precision() const { return share_of(true_positives, false_positives); }
};

/// The largest share where another is at least a given value.
template <class Arguments>
class LargestShareImpl final : public MetricImpl {
 public:
  using Share = Tensor (Counts::*)() const;

  LargestShareImpl(std::string class_name, const Arguments& arguments, double Arguments::*least, const char* least_name,
                   Share constrained, Share wanted)
      : MetricImpl(std::move(class_name), {.name = arguments.name, .dtype = arguments.dtype}),
        arguments_(arguments),
        least_(arguments.*least),
        constrained_(constrained),
        wanted_(wanted) {
    require_share(least_name, least_);
    set_direction("up");
    confusion_ = {.thresholds = even_thresholds(arguments.num_thresholds), .class_id = arguments.class_id};
    confusion_.is_even = confusion_.thresholds.size() > 1;
    const Shape shape = shape_of(confusion_.thresholds);
    counts_.true_positives = add_variable(shape, "true_positives", floatx());
    counts_.false_positives = add_variable(shape, "false_positives", floatx());
    counts_.true_negatives = add_variable(shape, "true_negatives", floatx());
    counts_.false_negatives = add_variable(shape, "false_negatives", floatx());
  }

  void update_state(const Tensor& y_true, const Tensor& y_pred, const Tensor& sample_weight) override {
    add_confusion({.true_positives = &counts_.true_positives,
                   .false_positives = &counts_.false_positives,
                   .true_negatives = &counts_.true_negatives,
                   .false_negatives = &counts_.false_negatives},
                  confusion_, y_true, y_pred, sample_weight);
  }

  Tensor result() const override {
    const Tensor is_feasible = (counts_.*constrained_)() >= least_;
    return max(where(is_feasible, (counts_.*wanted_)(), 0.0));
  }

  io::Json get_config() const override { return written(MetricImpl::get_config(), arguments_); }

 private:
  Arguments arguments_;
  double least_;
  Share constrained_;
  Share wanted_;
  ConfusionOptions confusion_;
  Counts counts_;
};

}  // namespace

io::Json Thresholds::to_config() const {
  if (is_empty()) return {};
  return is_list_ ? io::Json::array_from(values_) : io::Json(values_.front());
}

Thresholds Thresholds::from_config(const io::Json& config) {
  if (config.is_number()) return config.as_double();
  std::vector<double> values;
  for (const io::Json& value : config) values.push_back(value.as_double());
  return values;
}

FalsePositives::FalsePositives(const ConfusionCountOptions& options)
    : Metric(make_metric<ConfusionCountImpl>("FalsePositives", &ConfusionVariables::false_positives, options)) {}

FalseNegatives::FalseNegatives(const ConfusionCountOptions& options)
    : Metric(make_metric<ConfusionCountImpl>("FalseNegatives", &ConfusionVariables::false_negatives, options)) {}

TrueNegatives::TrueNegatives(const ConfusionCountOptions& options)
    : Metric(make_metric<ConfusionCountImpl>("TrueNegatives", &ConfusionVariables::true_negatives, options)) {}

TruePositives::TruePositives(const ConfusionCountOptions& options)
    : Metric(make_metric<ConfusionCountImpl>("TruePositives", &ConfusionVariables::true_positives, options)) {}

Precision::Precision(const PrecisionOptions& options)
    : Metric(make_metric<ShareImpl<PrecisionOptions>>("Precision", &ConfusionVariables::false_positives,
                                                      "false_positives", options)) {}

Recall::Recall(const RecallOptions& options)
    : Metric(make_metric<ShareImpl<RecallOptions>>("Recall", &ConfusionVariables::false_negatives, "false_negatives",
                                                   options)) {}

SensitivityAtSpecificity::SensitivityAtSpecificity(double specificity, const SensitivityAtSpecificityOptions& options)
    : SensitivityAtSpecificity(from_arguments({options, specificity})) {}

SensitivityAtSpecificity SensitivityAtSpecificity::from_arguments(const Arguments& arguments) {
  return SensitivityAtSpecificity(make_metric<LargestShareImpl<Arguments>>("SensitivityAtSpecificity", arguments,
                                                                           &Arguments::specificity, "specificity",
                                                                           &Counts::specificity, &Counts::sensitivity));
}

SpecificityAtSensitivity::SpecificityAtSensitivity(double sensitivity, const SpecificityAtSensitivityOptions& options)
    : SpecificityAtSensitivity(from_arguments({options, sensitivity})) {}

SpecificityAtSensitivity SpecificityAtSensitivity::from_arguments(const Arguments& arguments) {
  return SpecificityAtSensitivity(make_metric<LargestShareImpl<Arguments>>("SpecificityAtSensitivity", arguments,
                                                                           &Arguments::sensitivity, "sensitivity",
                                                                           &Counts::sensitivity, &Counts::specificity));
}

PrecisionAtRecall::PrecisionAtRecall(double recall, const PrecisionAtRecallOptions& options)
    : PrecisionAtRecall(from_arguments({options, recall})) {}

PrecisionAtRecall PrecisionAtRecall::from_arguments(const Arguments& arguments) {
  return PrecisionAtRecall(make_metric<LargestShareImpl<Arguments>>(
      "PrecisionAtRecall", arguments, &Arguments::recall, "recall", &Counts::sensitivity, &Counts::precision));
}

RecallAtPrecision::RecallAtPrecision(double precision, const RecallAtPrecisionOptions& options)
    : RecallAtPrecision(from_arguments({options, precision})) {}

RecallAtPrecision RecallAtPrecision::from_arguments(const Arguments& arguments) {
  return RecallAtPrecision(make_metric<LargestShareImpl<Arguments>>(
      "RecallAtPrecision", arguments, &Arguments::precision, "precision", &Counts::precision, &Counts::sensitivity));
}

}  // namespace rhyton::metrics
