#pragma once

#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include <rhyton/framework/tensor/index.h>
#include <rhyton/framework/tensor/scalar.h>
#include <rhyton/framework/tensor/tensor.h>

namespace rhyton::layers {

struct CallNode;

/// A placeholder for a tensor in a functional model (Keras's `KerasTensor`): a shape, whose batch axis is -1, a dtype,
/// and the call that created it.
class SymbolicTensor {
 public:
  SymbolicTensor() = default;
  SymbolicTensor(std::shared_ptr<const CallNode> node, int output) : node_(std::move(node)), output_(output) {}

  bool is_empty() const { return node_ == nullptr; }
  const TensorSpec& spec() const;
  /// With -1 for unknown lengths: (-1, 28, 28, 1).
  const Shape& shape() const { return spec().shape; }
  DType dtype() const { return spec().dtype; }
  int rank() const { return shape().rank(); }

  const std::shared_ptr<const CallNode>& node() const { return node_; }
  int output() const { return output_; }
  bool is_same(const SymbolicTensor& other) const { return node_ == other.node_ && output_ == other.output_; }

  /// The mask of this handle: which steps of a sequence count. Empty if there is none, or if it is known only when the
  /// model runs (that of a custom layer that computes masks). See `Tensor::mask`.
  SymbolicTensor mask() const { return mask_ == nullptr ? SymbolicTensor() : *mask_; }
  bool has_mask() const { return mask_ != nullptr; }
  /// A handle of the same tensor with that mask; without one if `mask` is empty.
  SymbolicTensor with_mask(const SymbolicTensor& mask) const;

  /// x[key], an operation of the model: `x[{Slice(), -1}]` is Python's `x[:, -1]`. Throws as `get_item` does, where the
  /// lengths are known.
  SymbolicTensor operator[](std::int64_t index) const;
  SymbolicTensor operator[](const std::vector<Index>& key) const;
  template <IsSlicing Key>
  SymbolicTensor operator[](const Key& key) const {
    return (*this)[std::vector<Index>{key}];
  }

  /// "<KerasTensor shape=(None, 64), dtype=float32>"
  std::string to_string() const;

 private:
  std::shared_ptr<const CallNode> node_;
  int output_ = 0;
  std::shared_ptr<const SymbolicTensor> mask_;
};

/// Writes `to_string()`.
std::ostream& operator<<(std::ostream& stream, const SymbolicTensor& tensor);

}  // namespace rhyton::layers
