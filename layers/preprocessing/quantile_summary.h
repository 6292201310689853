#pragma once

#include <cstdint>
#include <vector>

namespace rhyton::layers {

/// A summary of numbers from which their quantiles follow: some of them in ascending order, each with the number of
/// those that it stands for. It is that of Keras's Discretization, with the same rounding, so that both find the same
/// boundaries. NumPy leaves the order of equal values open; here those that were added last are first.
class QuantileSummary {
 public:
  /// Adds numbers. `epsilon` is the error in quantiles that is allowed for a summary of 1 / epsilon values. Throws
  /// ValueError in Python's words for an epsilon of 0 or NaN.
  void add(std::vector<float> numbers, double epsilon);
  /// The boundaries between `bins` parts with equally many numbers, ascending; fewer if there are fewer values. Throws
  /// ValueError in Python's words for 0 bins.
  std::vector<float> boundaries(std::int64_t bins) const;

 private:
  void compress(double epsilon);

  std::vector<float> values_;
  std::vector<float> weights_;
};

}  // namespace rhyton::layers
