#include <rhyton/models/metrics/reduction.h>

#include <numeric>
#include <tuple>

#include <rhyton/framework/error.h>
#include <rhyton/framework/ops/collectives.h>
#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/reduce.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/framework/ops/special_values.h>
#include <rhyton/models/losses/reduction.h>

namespace rhyton::metrics {
namespace {

using Reduction = Tensor (*)(const Tensor& x, const std::vector<int>& axes, bool keepdims);

/// x reduced to its first `rank` axes.
Tensor leading_axes(const Tensor& x, int rank, Reduction reduce) {
  if (x.rank() <= rank) return x;
  std::vector<int> axes(static_cast<std::size_t>(x.rank() - rank));
  std::iota(axes.begin(), axes.end(), rank);
  return reduce(x, axes, false);
}

struct Samples {
  Tensor values;
  Tensor weights;
};

/// One weighted value and one weight per sample.
Samples per_sample(const Tensor& all_values, const Tensor& sample_weight, Reduction reduce, DType dtype) {
  Tensor values = cast(all_values, dtype);
  Tensor weights;
  if (!sample_weight.is_empty()) {
    weights = losses::apply_mask(sample_weight, all_values.mask(), dtype, "sum");
    std::tie(values, weights) = losses::squeeze_or_expand_to_same_rank(values, weights);
    const int weight_rank = weights.rank();
    values = leading_axes(values, weight_rank, reduce);
    if (!(weights.shape() == values.shape())) weights = broadcast_to(weights, values.shape());
    values = values * weights;
    if (weight_rank > 1) weights = leading_axes(weights, 1, reduce);
  }
  return {leading_axes(values, 1, reduce), weights};
}

/// Sums x; scalars need no sum.
Tensor total_of(const Tensor& x) { return x.rank() == 0 ? x : sum(x); }

class SumImpl final : public MetricImpl {
 public:
  explicit SumImpl(const MetricOptions& options) : MetricImpl("Sum", options), total_(add_variable({}, "total")) {}

  void update_values(const Tensor& values, const Tensor& sample_weight) {
    total_.assign_add(total_of(per_sample(values, sample_weight, sum, dtype()).values));
  }

  void update_state(const Tensor& /*y_true*/, const Tensor& /*y_pred*/, const Tensor& /*sample_weight*/) override {
    throw TypeError("Sum.update_state() takes `values` and `sample_weight`");
  }

  Tensor result() const override { return total_.value(); }

 private:
  Variable total_;
};

}  // namespace

MeanImpl::MeanImpl(std::string class_name, const MetricOptions& options)
    : MetricImpl(std::move(class_name), options),
      total_(add_variable({}, "total")),
      count_(add_variable({}, "count")) {}

void MeanImpl::update_values(const Tensor& values, const Tensor& sample_weight) {
  const Samples samples = per_sample(values, sample_weight, mean, dtype());
  total_.assign_add(total_of(samples.values));
  if (!samples.weights.is_empty()) {
    count_.assign_add(total_of(samples.weights));
  } else {
    const std::int64_t count = samples.values.rank() == 0 ? 1 : samples.values.shape()[0];
    count_.assign_add(Tensor::full({}, static_cast<double>(count), dtype()));
  }
}

void MeanImpl::update_state(const Tensor& /*y_true*/, const Tensor& /*y_pred*/, const Tensor& /*sample_weight*/) {
  throw TypeError(class_name() + ".update_state() takes `values` and `sample_weight`");
}

Tensor MeanImpl::result() const { return divide_no_nan(total_.value(), count_.value()); }

Mean::Mean(const MetricOptions& options) : Metric(std::make_shared<MeanImpl>("Mean", named(options, "mean"))) {}

void Mean::update_state(const Tensor& values, const Tensor& sample_weight) const {
  add_over_replicas(variables(), [&] { static_cast<MeanImpl&>(*impl_).update_values(values, sample_weight); });
}

Sum::Sum(const MetricOptions& options) : Metric(std::make_shared<SumImpl>(named(options, "sum"))) {}

void Sum::update_state(const Tensor& values, const Tensor& sample_weight) const {
  add_over_replicas(variables(), [&] { static_cast<SumImpl&>(*impl_).update_values(values, sample_weight); });
}

FunctionMetric::FunctionMetric(std::string class_name, const MetricOptions& options, MetricFunction function,
                               io::Json arguments, std::string direction)
    : MeanImpl(std::move(class_name), options), function_(std::move(function)), arguments_(std::move(arguments)) {
  set_direction(std::move(direction));
}

void FunctionMetric::update_state(const Tensor& y_true, const Tensor& y_pred, const Tensor& sample_weight) {
  update_values(function_(y_true, y_pred), losses::apply_mask(sample_weight, y_pred.mask(), dtype(), "sum"));
}

io::Json FunctionMetric::get_config() const {
  io::Json config = MetricImpl::get_config();
  for (const auto& [key, value] : arguments_.items()) config[key] = value;
  return config;
}

MeanMetricWrapper::MeanMetricWrapper(MetricFunction function, const MetricOptions& options)
    : Metric(std::make_shared<FunctionMetric>("MeanMetricWrapper", options, std::move(function))) {}

MetricOptions named(MetricOptions options, const char* default_name) {
  if (options.name.empty()) options.name = default_name;
  return options;
}

}  // namespace rhyton::metrics
