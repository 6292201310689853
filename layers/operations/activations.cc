// The activations on symbolic tensors, and the only operation of keras.activations itself.

#include <rhyton/layers/operations/activations.h>

#include <cmath>

#include <rhyton/framework/ops/elementwise.h>
#include <rhyton/framework/ops/shaping.h>
#include <rhyton/layers/operations/operation.h>
#include <rhyton/layers/operations/tables.h>

namespace rhyton {
namespace layers {
namespace {

template <class Function>
Operation of_nn(const char* class_name, Function function, Keywords options = {}) {
  return {class_name, "ops.nn", {"x"}, std::move(options), computes(function)};
}

/// The activation along the axes of the option `axis`: None joins all axes.
template <class Function>
Tensor along(const Tensor& x, const Argument& axis, Function&& function) {
  if (axis.is_none()) return reshape(function(reshape(x, {-1}), -1), x.shape());
  if (axis.is_list()) return function(x, ArgumentValue<std::vector<int>>::from(axis));
  return function(x, ArgumentValue<int>::from(axis));
}

}  // namespace

std::vector<Operation> activation_operations() {
  return {
      of_nn(
          "Relu", +[](const Tensor& x) { return ops::relu(x); }),
      of_nn(
          "Relu6", +[](const Tensor& x) { return activations::relu6(x); }),
      of_nn("LeakyRelu", [](const Tensor& x, double slope) { return activations::leaky_relu(x, slope); },
            {{"negative_slope", 0.2}}),
      of_nn("Elu", [](const Tensor& x, double alpha) { return activations::elu(x, alpha); }, {{"alpha", 1.0}}),
      of_nn("Selu", [](const Tensor& x) { return activations::selu(x); }),
      of_nn("Celu", [](const Tensor& x, double alpha) { return activations::celu(x, alpha); }, {{"alpha", 1.0}}),
      of_nn("Gelu", [](const Tensor& x, bool approximate) { return activations::gelu(x, approximate); },
            {{"approximate", true}}),
      of_nn("Silu", [](const Tensor& x) { return activations::silu(x); }),
      of_nn("HardSilu", [](const Tensor& x) { return activations::hard_silu(x); }),
      of_nn("Sigmoid", [](const Tensor& x) { return activations::sigmoid(x); }),
      of_nn("HardSigmoid", [](const Tensor& x) { return activations::hard_sigmoid(x); }),
      of_nn("LogSigmoid", [](const Tensor& x) { return activations::log_sigmoid(x); }),
      of_nn("SparseSigmoid", [](const Tensor& x) { return activations::sparse_sigmoid(x); }),
      of_nn("HardTanh", [](const Tensor& x) { return activations::hard_tanh(x); }),
      of_nn("TanhShrink", [](const Tensor& x) { return activations::tanh_shrink(x); }),
      of_nn("SoftShrink", [](const Tensor& x, double threshold) { return activations::soft_shrink(x, threshold); },
            {{"threshold", 0.5}}),
      of_nn("HardShrink", [](const Tensor& x, double threshold) { return activations::hard_shrink(x, threshold); },
            {{"threshold", 0.5}}),
      of_nn("Threshold",
            [](const Tensor& x, double threshold, double value) { return activations::threshold(x, threshold, value); },
            {{"threshold", {}}, {"default_value", {}}}),
      of_nn("Softplus", [](const Tensor& x) { return activations::softplus(x); }),
      of_nn("Softsign", [](const Tensor& x) { return activations::softsign(x); }),
      of_nn("Squareplus", [](const Tensor& x, double b) { return activations::squareplus(x, b); }, {{"b", 4}}),
      of_nn("SparsePlus", [](const Tensor& x) { return activations::sparse_plus(x); }),
      of_nn("Softmax",
            [](const Tensor& x, const Argument& axis) {
              return along(x, axis, [](const Tensor& t, const auto& a) { return activations::softmax(t, a); });
            },
            {{"axis", -1}}),
      of_nn("LogSoftmax",
            [](const Tensor& x, const Argument& axis) {
              return along(x, axis, [](const Tensor& t, const auto& a) { return activations::log_softmax(t, a); });
            },
            {{"axis", -1}}),
      of_nn("Sparsemax", [](const Tensor& x, int axis) { return activations::sparsemax(x, axis); }, {{"axis", -1}}),
      of_nn("Glu", [](const Tensor& x, int axis) { return activations::glu(x, axis); }, {{"axis", -1}}),
      {"ReLU",
       "activations.activations",
       {"x"},
       {{"negative_slope", 0.0}, {"max_value", {}}, {"threshold", 0.0}},
       computes([](const Tensor& x, double negative_slope, std::optional<double> max_value, double threshold) {
         return activations::relu(x, negative_slope, max_value.value_or(std::numeric_limits<double>::infinity()),
                                  threshold);
       })},
  };
}

}  // namespace layers

namespace activations {

using layers::Argument;
using layers::operation_output;
using layers::SymbolicTensor;

SymbolicTensor linear(const SymbolicTensor& x) { return x; }
SymbolicTensor relu(const SymbolicTensor& x, double negative_slope, double max_value, double threshold) {
  return operation_output("ReLU", {x},
                          {negative_slope, std::isinf(max_value) ? Argument() : Argument(max_value), threshold});
}
SymbolicTensor relu6(const SymbolicTensor& x) { return operation_output("Relu6", {x}); }
SymbolicTensor leaky_relu(const SymbolicTensor& x, double negative_slope) {
  return operation_output("LeakyRelu", {x}, {negative_slope});
}
SymbolicTensor elu(const SymbolicTensor& x, double alpha) { return operation_output("Elu", {x}, {alpha}); }
SymbolicTensor selu(const SymbolicTensor& x) { return operation_output("Selu", {x}); }
SymbolicTensor celu(const SymbolicTensor& x, double alpha) { return operation_output("Celu", {x}, {alpha}); }
SymbolicTensor gelu(const SymbolicTensor& x, bool approximate) { return operation_output("Gelu", {x}, {approximate}); }
SymbolicTensor silu(const SymbolicTensor& x) { return operation_output("Silu", {x}); }
SymbolicTensor hard_silu(const SymbolicTensor& x) { return operation_output("HardSilu", {x}); }
SymbolicTensor sigmoid(const SymbolicTensor& x) { return operation_output("Sigmoid", {x}); }
SymbolicTensor hard_sigmoid(const SymbolicTensor& x) { return operation_output("HardSigmoid", {x}); }
SymbolicTensor log_sigmoid(const SymbolicTensor& x) { return operation_output("LogSigmoid", {x}); }
SymbolicTensor sparse_sigmoid(const SymbolicTensor& x) { return operation_output("SparseSigmoid", {x}); }
SymbolicTensor tanh(const SymbolicTensor& x) { return operation_output("Tanh", {x}); }
SymbolicTensor hard_tanh(const SymbolicTensor& x) { return operation_output("HardTanh", {x}); }
SymbolicTensor tanh_shrink(const SymbolicTensor& x) { return operation_output("TanhShrink", {x}); }
SymbolicTensor soft_shrink(const SymbolicTensor& x, double threshold) {
  return operation_output("SoftShrink", {x}, {threshold});
}
SymbolicTensor hard_shrink(const SymbolicTensor& x, double threshold) {
  return operation_output("HardShrink", {x}, {threshold});
}
SymbolicTensor threshold(const SymbolicTensor& x, double threshold, double default_value) {
  return operation_output("Threshold", {x}, {threshold, default_value});
}
SymbolicTensor softplus(const SymbolicTensor& x) { return operation_output("Softplus", {x}); }
SymbolicTensor softsign(const SymbolicTensor& x) { return operation_output("Softsign", {x}); }
SymbolicTensor squareplus(const SymbolicTensor& x, double b) { return operation_output("Squareplus", {x}, {b}); }
SymbolicTensor sparse_plus(const SymbolicTensor& x) { return operation_output("SparsePlus", {x}); }
SymbolicTensor exponential(const SymbolicTensor& x) { return operation_output("Exp", {x}); }
SymbolicTensor softmax(const SymbolicTensor& x, int axis) { return operation_output("Softmax", {x}, {axis}); }
SymbolicTensor softmax(const SymbolicTensor& x, const std::vector<int>& axes) {
  return operation_output("Softmax", {x}, {Argument(axes)});
}
SymbolicTensor log_softmax(const SymbolicTensor& x, int axis) { return operation_output("LogSoftmax", {x}, {axis}); }
SymbolicTensor log_softmax(const SymbolicTensor& x, const std::vector<int>& axes) {
  return operation_output("LogSoftmax", {x}, {Argument(axes)});
}
SymbolicTensor sparsemax(const SymbolicTensor& x, int axis) { return operation_output("Sparsemax", {x}, {axis}); }
SymbolicTensor glu(const SymbolicTensor& x, int axis) { return operation_output("Glu", {x}, {axis}); }

}  // namespace activations
}  // namespace rhyton
