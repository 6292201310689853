#include <rhyton/layers/symbolic_tensor.h>

#include <ostream>

namespace rhyton::layers {

std::string SymbolicTensor::to_string() const {
  if (is_empty()) return "<KerasTensor (empty)>";
  return "<KerasTensor shape=" + shape().to_string() + ", dtype=" + std::string(name_of(dtype())) + ">";
}

std::ostream& operator<<(std::ostream& stream, const SymbolicTensor& tensor) { return stream << tensor.to_string(); }

}  // namespace rhyton::layers
