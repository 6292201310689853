#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include <rhyton/framework/by_name.h>
#include <rhyton/framework/tensor/index.h>
#include <rhyton/framework/tensor/tensor.h>
#include <rhyton/layers/layer.h>
#include <rhyton/layers/symbolic_tensor.h>

namespace rhyton::layers {

/// The shape of one sample, `{28, 28, 1}`, or not given. `Shape{}` if each sample is a single number.
class SampleShape {
 public:
  SampleShape() = default;
  /// -1 is an unknown length. Throws ValueError in Keras's words for a length below -1.
  SampleShape(std::initializer_list<std::int64_t> lengths);
  SampleShape(const Shape& shape) : shape_(shape) {}  // NOLINT(google-explicit-constructor): a shape is one

  const std::optional<Shape>& value() const { return shape_; }

 private:
  std::optional<Shape> shape_;
};

/// Fields in the order of `keras.Input`.
struct InputOptions {
  ByName by_name = ByName();
  /// Without the batch axis.
  SampleShape shape = {};
  /// Empty: any batch size.
  std::optional<std::int64_t> batch_size = std::nullopt;
  /// `config::floatx()` if empty. "string" for strings, which TextVectorization, StringLookup, Hashing and HashedCrossing
  /// take.
  std::string dtype = {};
  /// Instead of `shape` and `batch_size`: with the batch axis, -1 for any batch size. `Shape{}` is one number.
  std::optional<Shape> batch_shape = std::nullopt;
  std::string name = {};
};

/// The arguments of an InputLayer in a configuration.
struct InputLayerArguments {
  Shape batch_shape = {};
  std::string dtype = {};
  std::string name = {};

  /// The listing that reading, writing and documentation follow (framework/serialization/config_reader.h).
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields.required("batch_shape", self.batch_shape);
    fields.policy("dtype", self.dtype);
    fields.constant("sparse", false);
    fields("name", self.name);
    fields.ignored("trainable");
    fields.ignored("autocast");
  }
};

/// The input of a model. It is a layer, for `Sequential({Input(…), …})`, and a symbolic tensor, for functional models:
/// `SymbolicTensor y = Dense(10)(Input({.shape = {784}}))`. See https://keras.io/api/layers/core_layers/input.
///
/// Throws ValueError without a shape, for more than one, and for an unknown dtype.
class Input : public Layer {
 public:
  /// Keras's name of the class, and what its configuration holds.
  static constexpr const char* keras_name = "InputLayer";
  using Arguments = InputLayerArguments;

  explicit Input(const InputOptions& options);
  static Input from_config(const io::Json& config);

  operator SymbolicTensor() const;  // NOLINT(google-explicit-constructor): as in Keras, an input is a tensor

  // The tensor's.

  const Shape& shape() const;
  DType dtype() const;
  int rank() const { return shape().rank(); }
  /// As of other symbolic tensors: `x[{Slice(), -1}]` is Python's `x[:, -1]`.
  SymbolicTensor operator[](std::int64_t index) const;
  SymbolicTensor operator[](const std::vector<Index>& key) const;
  template <IsSlicing Key>
  SymbolicTensor operator[](const Key& key) const {
    return (*this)[std::vector<Index>{key}];
  }
};

/// An input of that dtype and shape, the batch axis included.
Input make_input(const TensorSpec& batch_spec, const std::string& name = {});

/// The symbolic tensor of an InputLayer: the same one each time. Throws ValueError for another layer.
SymbolicTensor input_tensor(const Layer& input);

}  // namespace rhyton::layers
