#include <rhyton/layers/operations/function_operation.h>

#include <utility>

#include <rhyton/framework/error.h>
#include <rhyton/layers/argument.h>
#include <rhyton/layers/call_arguments.h>

namespace rhyton::layers {
namespace {

class FunctionOperationImpl final : public LayerImpl {
 public:
  FunctionOperationImpl(std::string class_name, OperationFunction function, const std::string& name = {})
      : LayerImpl({.name = name}), class_name_(std::move(class_name)), function_(std::move(function)) {
    mark_built();
  }

  std::string class_name() const override { return class_name_; }
  bool autocasts() const override { return false; }
  std::vector<std::string> call_parameters() const override { return {"inputs"}; }
  bool warns_of_lost_masks() const override { return false; }

  std::vector<Tensor> call_with(const BoundArguments& arguments, bool) override {
    return function_(arguments.tensors("inputs"));
  }

  io::Json get_config() const override {
    throw ValueError("The operation " + class_name_ +
                     " cannot be serialized: it has a C++ function among its arguments, which a file cannot hold. Call "
                     "it in a layer of your own and register that with `layers::register_keras_serializable`, or save "
                     "the weights alone with `save_weights`.");
  }

  Layer copy() const { return make_layer<FunctionOperationImpl>(class_name_, function_, name()); }

 private:
  std::string class_name_;
  OperationFunction function_;
};

}  // namespace

std::vector<SymbolicTensor> call_function_operation(const std::string& class_name, const OperationFunction& function,
                                                    const std::vector<SymbolicTensor>& inputs) {
  return make_layer<FunctionOperationImpl>(class_name, function).impl()->call_symbolic({.args = {Argument(inputs)}});
}

Layer copy_of_function_operation(const Layer& layer) {
  const auto* const operation = dynamic_cast<const FunctionOperationImpl*>(layer.impl().get());
  return operation == nullptr ? Layer() : operation->copy();
}

}  // namespace rhyton::layers
