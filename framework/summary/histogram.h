#pragma once

#include <vector>

namespace rhyton::summary {

/// One interval of a histogram: its limits, and how many values are in it.
struct HistogramBucket {
  double left = 0;
  double right = 0;
  double count = 0;
};

/// `buckets` intervals of equal width from the smallest to the largest value, and the number of values in each; the
/// largest value is in the last one. If all values are equal, all intervals are that value and the last one has all of
/// them; of no values, all numbers are 0. Values that are not finite are left out. As in `tf.summary.histogram`
/// (https://www.tensorflow.org/api_docs/python/tf/summary/histogram).
std::vector<HistogramBucket> histogram_of(const std::vector<double>& values, int buckets);

}  // namespace rhyton::summary
