#include <rhyton/layers/symbolic_tensor.h>

#include <ostream>

#include <rhyton/layers/call_node.h>

namespace rhyton::layers {

const TensorSpec& SymbolicTensor::spec() const { return node_->outputs[static_cast<std::size_t>(output_)]; }

SymbolicTensor SymbolicTensor::with_mask(const SymbolicTensor& mask) const {
  SymbolicTensor result = *this;
  result.mask_ = mask.is_empty() ? nullptr : std::make_shared<const SymbolicTensor>(mask);
  return result;
}

std::string SymbolicTensor::to_string() const {
  if (is_empty()) return "<KerasTensor (empty)>";
  return "<KerasTensor shape=" + shape().to_string() + ", dtype=" + std::string(name_of(dtype())) + ">";
}

std::ostream& operator<<(std::ostream& stream, const SymbolicTensor& tensor) { return stream << tensor.to_string(); }

}  // namespace rhyton::layers
