#pragma once

#include <cstddef>
#include <vector>

#include <rhyton/datasets/dataset.h>

namespace rhyton::datasets {

/// Calls `make` with each of the tensors of x, y and sample weights and returns the results in the same parts, with the
/// same names.
template <class To, class From, class Make>
To map_tensors(const From& from, const Make& make) {
  To to;
  for (const auto& tensor : from.x) to.x.push_back(make(tensor));
  for (const auto& tensor : from.y) to.y.push_back(make(tensor));
  for (const auto& tensor : from.sample_weight) to.sample_weight.push_back(make(tensor));
  to.x_names = from.x_names;
  to.y_names = from.y_names;
  return to;
}

}  // namespace rhyton::datasets
