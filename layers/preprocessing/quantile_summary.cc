#include <rhyton/layers/preprocessing/quantile_summary.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <rhyton/framework/error.h>

namespace rhyton::layers {
namespace {

/// By value, NaN as the largest.
bool is_before(float a, float b) { return a < b || (std::isnan(b) && !std::isnan(a)); }

double reciprocal(double divisor) {
  if (divisor == 0) throw ValueError("float division by zero");
  return 1.0 / divisor;
}

/// The line through values `y` at ascending places `x`, at `place`; beyond the ends the first and last value
/// (`numpy.interp`).
double interpolated(double place, const std::vector<float>& x, const std::vector<float>& y) {
  const auto above = std::upper_bound(x.begin(), x.end(), place);
  if (above == x.begin()) return y.front();
  if (above == x.end()) return y.back();
  const auto right = static_cast<std::size_t>(above - x.begin());
  const std::size_t left = right - 1;
  if (x[left] == place) return y[left];
  const double x0 = x[left];
  const double x1 = x[right];
  const double y0 = y[left];
  const double y1 = y[right];
  const double slope = (y1 - y0) / (x1 - x0);
  // Volatile, so that the product is rounded as NumPy rounds it and not fused with the addition.
  const volatile double from_left = slope * (place - x0);
  const double result = from_left + y0;
  if (!std::isnan(result)) return result;
  const volatile double from_right = slope * (place - x1);
  const double other = from_right + y1;
  return std::isnan(other) && y0 == y1 ? y0 : other;
}

}  // namespace

void QuantileSummary::add(std::vector<float> numbers, double epsilon) {
  const auto count = static_cast<double>(numbers.size());
  const double share = count / reciprocal(epsilon);
  if (std::isnan(share)) throw ValueError("cannot convert float NaN to integer");
  const double step = 1 > share ? 1.0 : share;
  std::sort(numbers.begin(), numbers.end(), is_before);
  std::vector<float> values;
  if (step - 1 < count) {
    const auto stride = static_cast<std::size_t>(step);
    for (auto i = static_cast<std::size_t>(step - 1); i < numbers.size(); i += stride) values.push_back(numbers[i]);
  }
  std::vector<float> weights(values.size(), static_cast<float>(step));
  values.insert(values.end(), values_.begin(), values_.end());
  weights.insert(weights.end(), weights_.begin(), weights_.end());

  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return is_before(values[a], values[b]); });
  values_.clear();
  weights_.clear();
  for (const std::size_t i : order) {
    values_.push_back(values[i]);
    weights_.push_back(weights[i]);
  }
  compress(epsilon);
}

std::vector<float> QuantileSummary::boundaries(std::int64_t bins) const {
  QuantileSummary parts = *this;
  parts.compress(reciprocal(static_cast<double>(bins)));
  if (!parts.values_.empty()) parts.values_.pop_back();
  return parts.values_;
}

void QuantileSummary::compress(double epsilon) {
  if (values_.empty() || static_cast<double>(values_.size()) * epsilon < 1) return;
  std::vector<float> sums(weights_.size());
  std::partial_sum(weights_.begin(), weights_.end(), sums.begin());
  std::vector<float> shares;
  for (const float sum : sums) shares.push_back(sum / sums.back());

  std::vector<float> values;
  std::vector<float> weights;
  double previous = 0;
  const auto count = static_cast<std::int64_t>(std::ceil(1.0 / epsilon));
  for (std::int64_t i = 0; i < count; ++i) {
    const volatile double start = static_cast<double>(i) * epsilon;
    const double share = epsilon + start;
    values.push_back(static_cast<float>(interpolated(share, shares, values_)));
    const double sum = interpolated(share, shares, sums);
    weights.push_back(static_cast<float>(sum - previous));
    previous = sum;
  }
  values_ = std::move(values);
  weights_ = std::move(weights);
}

}  // namespace rhyton::layers
