#include <rhyton/layers/core/input.h>

#include <algorithm>

#include <rhyton/framework/context.h>
#include <rhyton/framework/error.h>
#include <rhyton/framework/tensor/string_dtype.h>
#include <rhyton/layers/call_node.h>
#include <rhyton/layers/layer_config.h>

namespace rhyton::layers {
namespace {

/// There is no policy of strings.
std::string policy_of(DType dtype) { return dtype == string_dtype ? std::string() : std::string(name_of(dtype)); }

class InputImpl final : public LayerImpl {
 public:
  InputImpl(const TensorSpec& batch_spec, const std::string& name)
      : LayerImpl({.name = name, .dtype = policy_of(batch_spec.dtype)}), spec_(batch_spec) {
    mark_built();
  }

  std::string class_name() const override { return Input::keras_name; }
  bool autocasts() const override { return false; }
  std::vector<Tensor> call(const std::vector<Tensor>& inputs, bool) override { return inputs; }

  io::Json get_config() const override {
    return written(
        InputLayerArguments{.batch_shape = spec_.shape, .dtype = std::string(name_of(spec_.dtype)), .name = name()});
  }

  io::Json get_build_config() const override { return nullptr; }

  const TensorSpec& spec() const { return spec_; }

  SymbolicTensor tensor() {
    std::shared_ptr<const CallNode> node = node_.lock();
    if (node == nullptr) {
      CallNode made;
      made.layer = shared_from_this();
      made.outputs = {spec_};
      node = share_node(std::move(made));
      node_ = node;
    }
    return SymbolicTensor(node, 0);
  }

 private:
  TensorSpec spec_;
  /// Weak, since the node holds the layer. A node that is no longer referenced can be recreated unnoticed.
  std::weak_ptr<const CallNode> node_;
};

DType dtype_of(const InputOptions& options) {
  const std::string name = options.dtype.empty() ? context().floatx() : options.dtype;
  if (name == name_of(string_dtype)) return string_dtype;
  try {
    return dtype_from_name(name);
  } catch (const ValueError&) {
    throw ValueError("The dtype \"" + name + "\" of " +
                     (options.name.empty() ? "an input" : "input '" + options.name + "'") +
                     " is not supported. There are bool, int8, uint8, int16, uint16, int32, uint32, int64, "
                     "float16, bfloat16, float32, float64 and string.");
  }
}

Shape batch_shape_of(const InputOptions& options) {
  const std::optional<Shape>& sample = options.shape.value();
  if (options.batch_shape && sample) {
    throw ValueError("You cannot pass both `shape` and `batch_shape` at the same time.");
  }
  if (options.batch_shape && options.batch_size) {
    throw ValueError("You cannot pass both `batch_size` and `batch_shape` at the same time.");
  }
  if (options.batch_shape) return *options.batch_shape;
  if (!sample) throw ValueError("You must pass a `shape` argument.");
  return Shape({options.batch_size.value_or(-1)}).concatenate(*sample);
}

InputImpl& impl_of(const Layer& input) {
  auto* const impl = dynamic_cast<InputImpl*>(input.impl().get());
  if (impl == nullptr) throw ValueError("Layer \"" + input.name() + "\" is not an InputLayer.");
  return *impl;
}

std::shared_ptr<InputImpl> make_impl(const InputOptions& options) {
  return std::make_shared<InputImpl>(TensorSpec{batch_shape_of(options), dtype_of(options)}, options.name);
}

}  // namespace

SampleShape::SampleShape(std::initializer_list<std::int64_t> lengths) {
  if (std::any_of(lengths.begin(), lengths.end(), [](std::int64_t length) { return length < -1; })) {
    std::string text;
    for (const std::int64_t length : lengths) text += (text.empty() ? "" : ", ") + std::to_string(length);
    throw ValueError("Cannot convert '(" + text + (lengths.size() == 1 ? "," : "") +
                     ")' to a shape. Negative dimensions are not allowed.");
  }
  shape_ = Shape(lengths);
}

Input::Input(const InputOptions& options) : Layer(make_impl(options)) {}

Input::operator SymbolicTensor() const { return input_tensor(*this); }

const Shape& Input::shape() const { return impl_of(*this).spec().shape; }
DType Input::dtype() const { return impl_of(*this).spec().dtype; }
SymbolicTensor Input::operator[](std::int64_t index) const { return input_tensor(*this)[index]; }
SymbolicTensor Input::operator[](const std::vector<Index>& key) const { return input_tensor(*this)[key]; }

Input Input::from_config(const io::Json& config) {
  io::Json plain = config;
  // Keras 2.
  if (const io::Json* const shape = config.find("batch_input_shape"); shape != nullptr && !shape->is_null()) {
    if (const io::Json* const given = config.find("batch_shape"); given == nullptr || given->is_null()) {
      plain["batch_shape"] = *shape;
    }
    plain.erase("batch_input_shape");
  }
  const auto arguments = read_layer<Input>(plain);
  return Input({.dtype = arguments.dtype, .batch_shape = arguments.batch_shape, .name = arguments.name});
}

Input make_input(const TensorSpec& batch_spec, const std::string& name) {
  return Input({.dtype = std::string(name_of(batch_spec.dtype)), .batch_shape = batch_spec.shape, .name = name});
}

SymbolicTensor input_tensor(const Layer& input) { return impl_of(input).tensor(); }

}  // namespace rhyton::layers
