#pragma once

namespace rhyton::layers {

/// The parts that the listings of the arguments of recurrent layers and their cells share
/// (framework/serialization/config_reader.h), in the order in which they are written.
struct RecurrentListing {
  template <class Self, class Fields>
  static void visit_functions(Self& self, Fields& fields) {
    fields("activation", self.activation);
    if constexpr (requires { self.recurrent_activation; }) fields("recurrent_activation", self.recurrent_activation);
    fields("use_bias", self.use_bias);
  }

  template <class Self, class Fields>
  static void visit_initializers(Self& self, Fields& fields) {
    fields("kernel_initializer", self.kernel_initializer);
    fields("recurrent_initializer", self.recurrent_initializer);
    fields("bias_initializer", self.bias_initializer);
  }

  /// Regularizers, constraints and dropout.
  template <class Self, class Fields>
  static void visit_restraints(Self& self, Fields& fields) {
    fields("kernel_regularizer", self.kernel_regularizer);
    fields("recurrent_regularizer", self.recurrent_regularizer);
    fields("bias_regularizer", self.bias_regularizer);
    if constexpr (requires { self.activity_regularizer; }) fields("activity_regularizer", self.activity_regularizer);
    fields("kernel_constraint", self.kernel_constraint);
    fields("recurrent_constraint", self.recurrent_constraint);
    fields("bias_constraint", self.bias_constraint);
    fields("dropout", self.dropout);
    fields("recurrent_dropout", self.recurrent_dropout);
  }
};

}  // namespace rhyton::layers
