#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <rhyton/framework/by_name.h>
#include <rhyton/layers/layer.h>

namespace rhyton::layers {

/// What the function of a Lambda can take besides its inputs: Keras's parameters `mask` and `training`.
struct LambdaCall {
  /// One per input, empty where there is none.
  std::vector<Tensor> masks = {};
  bool training = false;
};

/// Whether a function can be called with these arguments and returns a T, or a list of them.
template <class T, class Function, class... Arguments>
concept ReturnsOneOrMore =
    std::is_invocable_r_v<T, const Function&, Arguments...> || std::is_invocable_r_v < std::vector<T>,
const Function&, Arguments... > ;

/// The function of a Lambda: of one tensor or a list of tensors, and if it needs more, a LambdaCall; it returns a
/// tensor or a list of tensors. A function of one tensor may be generic (`[](const auto& x)`).
class LambdaFunction {
 public:
  using Tensors = std::vector<Tensor>;

  /// Throws TypeError for an empty function.
  template <class Function>
  requires(!std::derived_from<Function, LambdaFunction> &&
           (ReturnsOneOrMore<Tensor, Function, const Tensor&> ||
            ReturnsOneOrMore<Tensor, Function, const Tensor&, const LambdaCall&> ||
            ReturnsOneOrMore<Tensor, Function, const Tensors&> ||
            ReturnsOneOrMore<Tensor, Function, const Tensors&, const LambdaCall&>))
      LambdaFunction(Function function)  // NOLINT(google-explicit-constructor): functions convert by themselves
      : takes_list_(!ReturnsOneOrMore<Tensor, Function, const Tensor&> &&
                    !ReturnsOneOrMore<Tensor, Function, const Tensor&, const LambdaCall&>) {
    if constexpr (std::is_pointer_v<Function> || requires { function.operator bool(); }) {
      if (!function) throw_empty();
    }
    function_ = [f = std::move(function)](const Tensors& inputs, const LambdaCall& call) -> Tensors {
      if constexpr (ReturnsOneOrMore<Tensor, Function, const Tensor&>) {
        return listed(f(inputs.front()));
      } else if constexpr (ReturnsOneOrMore<Tensor, Function, const Tensor&, const LambdaCall&>) {
        return listed(f(inputs.front(), call));
      } else if constexpr (ReturnsOneOrMore<Tensor, Function, const Tensors&>) {
        return listed(f(inputs));
      } else {
        return listed(f(inputs, call));
      }
    };
  }

  Tensors operator()(const Tensors& inputs, const LambdaCall& call) const { return function_(inputs, call); }
  /// Whether it takes any number of inputs, not exactly one.
  bool takes_list() const { return takes_list_; }

 private:
  static Tensors listed(Tensor result) { return {std::move(result)}; }
  static Tensors listed(Tensors results) { return results; }
  [[noreturn]] static void throw_empty();

  bool takes_list_;
  std::function<Tensors(const Tensors&, const LambdaCall&)> function_;
};

/// The `output_shape` of a Lambda: a shape without the batch, a list of such for several outputs, or a function of the
/// whole input shape, or the list of them, that returns whole output shapes.
class LambdaOutputShape {
 public:
  using Shapes = std::vector<Shape>;

  /// None: inferred.
  LambdaOutputShape() = default;
  LambdaOutputShape(const Shape& shape) : LambdaOutputShape(Shapes{shape}) {}  // NOLINT(google-explicit-constructor)
  LambdaOutputShape(const Shapes& shapes);                                     // NOLINT(google-explicit-constructor)
  template <class Function>
  requires(ReturnsOneOrMore<Shape, Function, const Shape&> || ReturnsOneOrMore<Shape, Function, const Shapes&>)
      LambdaOutputShape(Function function)  // NOLINT(google-explicit-constructor)
      : function_([f = std::move(function)](const Shapes& inputs) -> Shapes {
          if constexpr (ReturnsOneOrMore<Shape, Function, const Shape&>) {
            return listed(f(inputs.front()));
          } else {
            return listed(f(inputs));
          }
        }) {}

  bool is_none() const { return !function_; }
  Shapes operator()(const Shapes& inputs) const { return function_(inputs); }

 private:
  static Shapes listed(const Shape& shape) { return {shape}; }
  static Shapes listed(Shapes shapes) { return shapes; }

  std::function<Shapes(const Shapes&)> function_;
};

/// The `mask` of a Lambda: the mask of its output, or a function of the input and its mask, or of the lists of them,
/// that returns it; for several outputs a list. A mask that an input does not have is empty.
class LambdaMask {
 public:
  using Tensors = std::vector<Tensor>;

  /// None: the layer does not support masks.
  LambdaMask() = default;
  LambdaMask(const Tensor& mask);  // NOLINT(google-explicit-constructor): a mask is one
  template <class Function>
  requires(ReturnsOneOrMore<Tensor, Function, const Tensor&, const Tensor&> ||
           ReturnsOneOrMore<Tensor, Function, const Tensors&, const Tensors&>)
      LambdaMask(Function function)  // NOLINT(google-explicit-constructor)
      : function_([f = std::move(function)](const Tensors& inputs, const Tensors& masks) -> Tensors {
          if constexpr (ReturnsOneOrMore<Tensor, Function, const Tensor&, const Tensor&>) {
            return listed(f(inputs.front(), masks.front()));
          } else {
            return listed(f(inputs, masks));
          }
        }) {}

  bool is_none() const { return !function_; }
  Tensors operator()(const Tensors& inputs, const Tensors& masks) const { return function_(inputs, masks); }

 private:
  static Tensors listed(Tensor mask) { return {std::move(mask)}; }
  static Tensors listed(Tensors masks) { return masks; }

  std::function<Tensors(const Tensors&, const Tensors&)> function_;
};

/// Fields in the order of `keras.layers.Lambda`, without `arguments`: a C++ function captures what it needs.
struct LambdaOptions {
  ByName by_name = ByName();
  /// Only needed where the shape cannot be inferred by calling the function without values.
  LambdaOutputShape output_shape = {};
  LambdaMask mask = {};
  std::string name = {};
  std::string dtype = {};
  bool trainable = true;
};

/// A C++ function as a layer: it computes with ops, through which derivatives flow, and has no weights. Variables that
/// the function captures are not trained. See https://keras.io/api/layers/core_layers/lambda.
///
/// ```
/// models::Sequential model({layers::Input({.shape = {8}}),
///                           layers::Lambda([](const Tensor& x) { return square(x); }), layers::Dense(1)});
/// layers::Lambda([](const std::vector<Tensor>& x) { return x[0] * x[1]; })({a, b});
/// ```
///
/// A file cannot hold the function: `save` throws ValueError, and so does a `fit` that is to save the model, before its
/// first step; `save_weights` and `load_weights` work. A file with a Lambda of Keras's is refused unless
/// `custom_objects` has a function that makes the layer: `{"Lambda", [](const io::Json& config) { return
/// layers::Lambda(f); }}`.
///
/// A call throws ValueError for several inputs of a function of one tensor, and for outputs that are not as
/// `output_shape` says; on symbolic tensors NotImplementedError in Keras's words if the shape cannot be inferred.
class Lambda : public Layer {
 public:
  /// Keras's name of the class.
  static constexpr const char* keras_name = "Lambda";

  explicit Lambda(const LambdaFunction& function, const LambdaOptions& options = {});
};

}  // namespace rhyton::layers
