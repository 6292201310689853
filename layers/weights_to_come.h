#pragma once

#include <rhyton/framework/tensor/tensor.h>

namespace rhyton::layers {

/// During its lifetime, layers that this thread builds skip their initializers: their weights are zeros, which are to
/// be replaced by values from a file.
class WeightsToCome {
 public:
  WeightsToCome();
  ~WeightsToCome();
  WeightsToCome(const WeightsToCome&) = delete;
  WeightsToCome& operator=(const WeightsToCome&) = delete;

  /// Whether an instance exists on this thread.
  static bool is_expected();

  /// Returns zeros; large tensors take no memory until they are written to.
  static Tensor zeros(const Shape& shape, DType dtype);

 private:
  bool previous_;
};

}  // namespace rhyton::layers
