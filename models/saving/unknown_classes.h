#pragma once

#include <string>
#include <vector>

#include <rhyton/framework/error.h>
#include <rhyton/framework/io/json/json.h>

namespace rhyton::saving {

/// A class or function that a saved model names and that cannot be created.
struct UnknownClass {
  /// "model", "layer", "operation", "activation", "initializer", "regularizer", "constraint", "optimizer", "schedule",
  /// "loss" or "metric".
  std::string kind;
  std::string name;
  /// The name of the layer, or of the layer that has it as an argument; empty for arguments of `compile`.
  std::string layer;
  /// The name of the argument whose value it is: "kernel_initializer", "loss"; empty for a layer.
  std::string argument;
  /// Whether it is a class of Keras that Rhyton lacks; else it is a custom one.
  bool is_of_keras = false;
  /// Whether it is only an argument of `compile`.
  bool is_of_compile = false;

  /// Whether it is a layer of Keras that wraps code of another framework, which Rhyton cannot run.
  bool is_foreign() const;
};

/// Lists the unknown classes in sentences, those of Keras and custom ones, each with the layers and arguments that need
/// it: "Rhyton has no layer 'GRU' (layers 'a', 'b'), which Keras has. Could not locate the custom loss 'own' (`loss`)."
/// Layers that wrap code of another framework have sentences of their own.
std::string described(const std::vector<UnknownClass>& unknown);

/// Thrown when a model that is read names unknown classes or functions; lists all of them.
class UnknownClassesError : public ValueError {
 public:
  UnknownClassesError(const std::string& message, std::vector<UnknownClass> unknown)
      : ValueError(message), unknown_(std::move(unknown)) {}

  const std::vector<UnknownClass>& unknown() const { return unknown_; }
  /// Whether the model can be read without the arguments of `compile`.
  bool is_of_compile_alone() const;

 private:
  std::vector<UnknownClass> unknown_;
};

/// Searches a saved model, and the arguments of its `compile` (null for none), for classes and functions that are not
/// registered, and throws UnknownClassesError; NotImplementedError if all of them are operations on tensors, or layers
/// that wrap code of another framework. Malformed parts are left to their readers.
void require_known_classes(const io::Json& model, const io::Json& compile_config);

}  // namespace rhyton::saving
