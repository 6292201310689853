#include <rhyton/models/training/metrics_as_one.h>

#include <utility>

#include <rhyton/framework/error.h>

namespace rhyton::training {
namespace {

class MetricsAsOne final : public metrics::MetricImpl {
 public:
  explicit MetricsAsOne(std::shared_ptr<CompiledMetrics> metrics)
      : MetricImpl("CompileMetrics", {.name = "compile_metrics"}), metrics_(std::move(metrics)) {}

  void update_state(const Tensor& y_true, const Tensor& y_pred, const Tensor& sample_weight) override {
    metrics_->update({y_true}, {y_pred}, {sample_weight});
  }
  Tensor result() const override {
    throw TypeError(
        "The result of `compile_metrics` is a dictionary: return `get_metrics_result()` from the step for the results "
        "of all metrics of the model.");
  }
  void reset_state() override { metrics_->reset(); }

 private:
  std::shared_ptr<CompiledMetrics> metrics_;
};

}  // namespace

metrics::Metric metrics_as_one(std::shared_ptr<CompiledMetrics> metrics) {
  return metrics::make_metric<MetricsAsOne>(std::move(metrics));
}

}  // namespace rhyton::training
