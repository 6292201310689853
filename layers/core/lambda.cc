#include <rhyton/layers/core/lambda.h>

#include <rhyton/framework/error.h>
#include <rhyton/layers/call_arguments.h>
#include <rhyton/layers/core/lambda_copy.h>
#include <rhyton/layers/layer_config.h>

namespace rhyton::layers {
namespace {

/// Whether a shape is as expected, whose unknown lengths fit any.
bool is_as_expected(const Shape& shape, const Shape& expected) {
  if (shape.rank() != expected.rank()) return false;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (expected[axis] >= 0 && shape[axis] != expected[axis]) return false;
  }
  return true;
}

std::string text_of(const std::vector<Shape>& shapes) {
  if (shapes.size() == 1) return shapes.front().to_string();
  std::string text;
  for (const Shape& shape : shapes) text += (text.empty() ? "" : ", ") + shape.to_string();
  return "[" + text + "]";
}

class LambdaImpl final : public LayerImpl {
 public:
  LambdaImpl(const LambdaFunction& function, const LambdaOptions& options)
      : LayerImpl(base_options(options)), function_(function), options_(options) {
    mark_built();
  }

  std::string class_name() const override { return Lambda::keras_name; }

  std::vector<std::string> call_parameters() const override { return {"inputs", "mask"}; }

  std::vector<Tensor> call_with(const BoundArguments& arguments, bool training) override {
    const std::vector<Tensor> inputs = arguments.tensors("inputs");
    require_count(inputs.size());
    LambdaCall call{.training = training};
    for_each_leaf(arguments["mask"],
                  [&](const Argument& leaf) { call.masks.push_back(leaf.is_tensor() ? leaf.tensor() : Tensor()); });
    call.masks.resize(inputs.size());
    std::vector<Tensor> outputs = function_(inputs, call);
    check_outputs(inputs, outputs);
    return outputs;
  }

  bool supports_masking() const override { return !options_.mask.is_none(); }
  std::vector<Tensor> compute_mask(const std::vector<Tensor>& inputs, const std::vector<Tensor>& masks) const override {
    std::vector<Tensor> given = masks;
    given.resize(inputs.size());
    return options_.mask(inputs, given);
  }

  io::Json get_config() const override {
    throw ValueError(
        "A Lambda layer cannot be serialized: its function is C++ code, which a file cannot hold. Make it a layer of "
        "your own and register that with `layers::register_keras_serializable`, or save the weights alone with "
        "`save_weights`.");
  }

  Lambda copy() const {
    LambdaOptions options = options_;
    options.name = name();
    options.dtype = dtype_policy();
    options.trainable = trainable();
    return Lambda(function_, options);
  }

 protected:
  std::vector<TensorSpec> infer_outputs(const BoundArguments& arguments) override {
    if (!options_.output_shape.is_none()) {
      std::vector<Shape> inputs;
      for_each_leaf(arguments.first(), [&](const Argument& leaf) {
        if (leaf.is_symbolic()) inputs.push_back(leaf.symbolic().shape());
        if (leaf.is_tensor()) inputs.push_back(leaf.tensor().shape());
      });
      require_count(inputs.size());
      std::vector<TensorSpec> outputs;
      for (const Shape& shape : options_.output_shape(inputs)) outputs.push_back({shape, compute_dtype()});
      return outputs;
    }
    try {
      return LayerImpl::infer_outputs(arguments);
    } catch (const Error& error) {
      throw NotImplementedError(
          "We could not automatically infer the shape of the Lambda's output. Please specify the `output_shape` "
          "argument for this Lambda layer. Its function says: " +
          std::string(error.what()) + " (layer '" + name() + "' of class Lambda)");
    }
  }

 private:
  void require_count(std::size_t inputs) const {
    if (inputs == 1 || (inputs > 1 && function_.takes_list())) return;
    throw ValueError("The function of layer \"" + name() + "\" takes " +
                     (function_.takes_list() ? "a list of tensors" : "one tensor") + ", but it was called on " +
                     std::to_string(inputs) + ".");
  }

  void check_outputs(const std::vector<Tensor>& inputs, const std::vector<Tensor>& outputs) const {
    std::vector<Shape> shapes;
    for (const Tensor& output : outputs) {
      if (output.is_empty()) throw ValueError("The function of layer \"" + name() + "\" returned an empty tensor.");
      shapes.push_back(output.shape());
    }
    if (outputs.empty()) throw ValueError("The function of layer \"" + name() + "\" returned no tensor.");
    if (options_.output_shape.is_none()) return;
    std::vector<Shape> input_shapes;
    for (const Tensor& input : inputs) input_shapes.push_back(input.shape());
    const std::vector<Shape> expected = options_.output_shape(input_shapes);
    bool fits = expected.size() == shapes.size();
    for (std::size_t i = 0; fits && i < shapes.size(); ++i) fits = is_as_expected(shapes[i], expected[i]);
    if (fits) return;
    throw ValueError("The function of layer \"" + name() + "\" returned the shape " + text_of(shapes) +
                     ", but its `output_shape` says " + text_of(expected) + ".");
  }

  LambdaFunction function_;
  LambdaOptions options_;
};

}  // namespace

void LambdaFunction::throw_empty() { throw TypeError("unsupported callable"); }

LambdaOutputShape::LambdaOutputShape(const Shapes& shapes)
    : function_([shapes](const Shapes& inputs) {
        const Shape& first = inputs.front();
        const Shape batch({first.rank() == 0 ? -1 : first[0]});
        Shapes outputs;
        for (const Shape& shape : shapes) outputs.push_back(batch.concatenate(shape));
        return outputs;
      }) {}

LambdaMask::LambdaMask(const Tensor& mask)
    : function_([mask](const Tensors&, const Tensors&) { return Tensors{mask}; }) {}

Lambda::Lambda(const LambdaFunction& function, const LambdaOptions& options)
    : Layer(std::make_shared<LambdaImpl>(function, options)) {}

Layer copy_of_lambda(const Layer& layer) {
  const auto* const lambda = dynamic_cast<const LambdaImpl*>(layer.impl().get());
  return lambda == nullptr ? Layer() : Layer(lambda->copy());
}

}  // namespace rhyton::layers
