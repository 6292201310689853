#pragma once

#include <optional>
#include <string>

#include <rhyton/framework/tensor/dtype.h>
#include <rhyton/framework/tensor/shape.h>
#include <rhyton/layers/argument.h>
#include <rhyton/layers/call_arguments.h>
#include <rhyton/layers/constraints.h>
#include <rhyton/layers/initializers.h>
#include <rhyton/layers/regularizers.h>

namespace rhyton::layers {

/// The arguments of a layer call besides the inputs.
struct CallOptions {
  /// Whether dropout and the batch statistics of batch normalization are active. If not given, the value of the calling
  /// layer, else the mode of the model (true in `fit`, false in `evaluate` and `predict`), else false.
  std::optional<bool> training = std::nullopt;
  /// The argument `mask`: which steps of the inputs count, bool [batch, steps], for layers with that parameter. If not
  /// given, the mask of the inputs (`Tensor::mask`).
  Argument mask = {};
  /// Further arguments by position, behind the inputs: `attention(query, {.args = {value}})`.
  PositionalArguments args = {};
  /// Arguments by keyword: `lstm(x, {.kwargs = {{"initial_state", {h, c}}}})`.
  Keywords kwargs = {};
};

/// The arguments of a call on these inputs, without `training`.
CallArguments with_options(Argument inputs, const CallOptions& options);

/// The arguments of `add_weight`. Fields in the order of `keras.layers.Layer.add_weight`.
struct WeightOptions {
  Shape shape = {};
  Initializer initializer = {};
  /// The layer's variable dtype if not given.
  std::optional<DType> dtype = std::nullopt;
  bool trainable = true;
  Regularizer regularizer = {};
  /// Applied to the weight after each step of the optimizer.
  Constraint constraint = {};
  std::string name = "variable";
};

/// The options that all layers have.
struct LayerOptions {
  /// Made unique from the class name ("dense", "dense_1") if empty.
  std::string name = {};
  /// The dtype policy: "float32", "mixed_bfloat16", …; the global policy if empty.
  std::string dtype = {};
  bool trainable = true;
  /// The penalty on the layer's outputs, divided by the batch size.
  Regularizer activity_regularizer = {};

  /// Lists these members of the options of any layer class, those that it has.
  template <class Self, class Fields>
  static void visit(Self& self, Fields& fields) {
    fields("name", self.name);
    if constexpr (requires { self.trainable; }) fields("trainable", self.trainable);
    if constexpr (requires { self.dtype; }) fields.policy("dtype", self.dtype);
    if constexpr (requires { self.activity_regularizer; }) {
      fields.unless_default("activity_regularizer", self.activity_regularizer, Regularizer());
    }
    // Said by the first layer of a Sequential model of Keras 2, and by none, where they are always so.
    fields.ignored("batch_input_shape");
    fields.ignored("autocast");
  }
};

}  // namespace rhyton::layers
