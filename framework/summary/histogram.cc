#include <rhyton/framework/summary/histogram.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace rhyton::summary {

std::vector<HistogramBucket> histogram_of(const std::vector<double>& values, int buckets) {
  const auto count = static_cast<std::size_t>(std::max(buckets, 0));
  std::vector<HistogramBucket> result(count);
  std::vector<double> finite;
  std::copy_if(values.begin(), values.end(), std::back_inserter(finite),
               [](double value) { return std::isfinite(value); });
  if (count == 0 || finite.empty()) return result;
  const auto [smallest, largest] = std::minmax_element(finite.begin(), finite.end());
  const double first = *smallest;
  const double range = *largest - first;
  if (range == 0) {
    for (HistogramBucket& bucket : result) bucket = {first, first, 0};
    result.back().count = static_cast<double>(finite.size());
    return result;
  }
  const double width = range / static_cast<double>(count);
  for (std::size_t i = 0; i < count; ++i) {
    result[i].left = first + static_cast<double>(i) * width;
    result[i].right = i + 1 == count ? *largest : first + static_cast<double>(i + 1) * width;
  }
  for (const double value : finite) {
    const double position = std::floor((value - first) / width);
    const auto last = static_cast<double>(count - 1);
    result[static_cast<std::size_t>(std::clamp(position, 0.0, last))].count += 1;
  }
  return result;
}

}  // namespace rhyton::summary
