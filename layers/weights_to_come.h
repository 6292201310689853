#pragma once

#include <rhyton/framework/tensor/tensor.h>

namespace rhyton::layers {

/// While it lives, layers that this thread builds leave out the work of their initializers: their weights are zeros, as
/// others are to come from a file.
class WeightsToCome {
 public:
  WeightsToCome();
  ~WeightsToCome();
  WeightsToCome(const WeightsToCome&) = delete;
  WeightsToCome& operator=(const WeightsToCome&) = delete;

  /// Whether there is one on this thread.
  static bool is_expected();

  /// Zeros that take no memory until they are written to, where they are many.
  static Tensor zeros(const Shape& shape, DType dtype);

 private:
  bool previous_;
};

}  // namespace rhyton::layers
