#include <rhyton/models/symbolic_tensors.h>

#include <cstddef>

namespace rhyton::models {

using layers::Argument;
using layers::SymbolicTensor;

SymbolicTensors SymbolicTensors::nested(Argument structure) {
  SymbolicTensors result;
  result.form_ = Form::nested;
  for_each_leaf(structure, [&](const Argument& leaf) { result.tensors_.push_back(leaf.symbolic()); });
  result.structure_ = std::move(structure);
  return result;
}

SymbolicTensors SymbolicTensors::with_tensors(const std::vector<SymbolicTensor>& tensors) const {
  SymbolicTensors result = *this;
  result.tensors_ = tensors;
  std::size_t next = 0;
  if (form_ == Form::nested) {
    result.structure_ = map_leaves(structure_, [&](const Argument&) -> Argument { return tensors.at(next++); });
  }
  return result;
}

}  // namespace rhyton::models
