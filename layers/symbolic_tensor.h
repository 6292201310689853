#pragma once

#include <atomic>
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <rhyton/framework/tensor/tensor.h>

namespace rhyton::layers {

class LayerImpl;
class SymbolicTensor;

/// Numbers the calls, so that the calls of one layer can be sorted.
inline std::uint64_t next_call_serial() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

/// One call of a layer on symbolic tensors. Functional models are made from these calls, and `config.json` holds them.
struct CallNode {
  std::shared_ptr<LayerImpl> layer;
  std::vector<SymbolicTensor> inputs;
  /// True when the layer was called with a list, as `Add()({a, b})`.
  bool called_with_list = false;
  std::vector<TensorSpec> outputs;
  /// The `training` argument of the call (`base(x, training=False)`); empty if it was not given.
  std::optional<bool> training = std::nullopt;
  /// The device of the DeviceScope around the call; null outside of any.
  LogicalDevice* device = nullptr;
  std::uint64_t serial = next_call_serial();
};

/// A placeholder for a tensor in a functional model (Keras's `KerasTensor`): a shape, whose batch axis is -1, a dtype,
/// and the call that created it.
class SymbolicTensor {
 public:
  SymbolicTensor() = default;
  SymbolicTensor(std::shared_ptr<const CallNode> node, int output) : node_(std::move(node)), output_(output) {}

  bool is_empty() const { return node_ == nullptr; }
  const TensorSpec& spec() const { return node_->outputs[static_cast<std::size_t>(output_)]; }
  /// With -1 for unknown lengths: (-1, 28, 28, 1).
  const Shape& shape() const { return spec().shape; }
  DType dtype() const { return spec().dtype; }

  const std::shared_ptr<const CallNode>& node() const { return node_; }
  int output() const { return output_; }
  bool is_same(const SymbolicTensor& other) const { return node_ == other.node_ && output_ == other.output_; }

  /// "<KerasTensor shape=(None, 64), dtype=float32>"
  std::string to_string() const;

 private:
  std::shared_ptr<const CallNode> node_;
  int output_ = 0;
};

// Arithmetic in a functional model: calls of the layers Add, Subtract and Multiply, or Rescaling for a number. Result
// dtypes are those of tensors: an integer tensor and an integer give integers, a quotient is floating.

SymbolicTensor operator+(const SymbolicTensor& a, const SymbolicTensor& b);
SymbolicTensor operator-(const SymbolicTensor& a, const SymbolicTensor& b);
SymbolicTensor operator*(const SymbolicTensor& a, const SymbolicTensor& b);
SymbolicTensor operator+(const SymbolicTensor& a, const Scalar& b);
SymbolicTensor operator+(const Scalar& a, const SymbolicTensor& b);
SymbolicTensor operator-(const SymbolicTensor& a, const Scalar& b);
SymbolicTensor operator-(const Scalar& a, const SymbolicTensor& b);
SymbolicTensor operator*(const SymbolicTensor& a, const Scalar& b);
SymbolicTensor operator*(const Scalar& a, const SymbolicTensor& b);
SymbolicTensor operator/(const SymbolicTensor& a, const Scalar& b);
SymbolicTensor operator-(const SymbolicTensor& a);

/// Writes `to_string()`.
std::ostream& operator<<(std::ostream& stream, const SymbolicTensor& tensor);

}  // namespace rhyton::layers
