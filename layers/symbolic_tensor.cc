#include <rhyton/layers/symbolic_tensor.h>

namespace rhyton::layers {

std::string SymbolicTensor::to_string() const {
  if (is_empty()) return "<KerasTensor (empty)>";
  return "<KerasTensor shape=" + shape().to_string() + ", dtype=" + std::string(name_of(dtype())) + ">";
}

}  // namespace rhyton::layers
