#pragma once

#include <string>
#include <vector>

#include <rhyton/framework/error.h>
#include <rhyton/framework/io/json/json.h>

namespace rhyton::saving {

/// A class or function that a saved model names and that cannot be made.
struct UnknownClass {
  /// "model", "layer", "operation", "activation", "initializer", "regularizer", "constraint", "optimizer", "schedule",
  /// "loss" or "metric".
  std::string kind;
  std::string name;
  /// The layer that it is, or that has it as an argument; empty for what `compile` was given.
  std::string layer;
  /// The argument that it is the value of: "kernel_initializer", "loss"; empty for a layer itself.
  std::string argument;
  /// Whether it is of Keras, and missing in Rhyton; else it is a custom one.
  bool is_of_keras = false;
  /// Whether only `compile` was given it.
  bool is_of_compile = false;
};

/// Which there are, in a sentence each for those of Keras and custom ones, each with the layers and arguments that need
/// it: "Rhyton has no layer 'GRU' (layers 'a', 'b'), which Keras has. Could not locate the custom loss 'own' (`loss`)."
std::string described(const std::vector<UnknownClass>& unknown);

/// Thrown by whatever reads a model that names classes or functions that are not known: all of them at once.
class UnknownClassesError : public ValueError {
 public:
  UnknownClassesError(const std::string& message, std::vector<UnknownClass> unknown)
      : ValueError(message), unknown_(std::move(unknown)) {}

  const std::vector<UnknownClass>& unknown() const { return unknown_; }
  /// Whether the model can be read without what `compile` was given.
  bool is_of_compile_alone() const;

 private:
  std::vector<UnknownClass> unknown_;
};

/// Looks through a saved model, and what its `compile` was given (null for nothing), and throws UnknownClassesError
/// where something is named that is not known here and now; NotImplementedError where that are operations on tensors
/// alone. What is malformed is left to those who read it.
void require_known_classes(const io::Json& model, const io::Json& compile_config);

}  // namespace rhyton::saving
