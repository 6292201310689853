#pragma once

#include <any>
#include <optional>
#include <string>
#include <vector>

#include <rhyton/framework/serialization/option_table.h>
#include <rhyton/models/losses/loss.h>

namespace rhyton::losses {

/// A loss made from a function of two tensors; Keras's `LossFunctionWrapper`. The losses without state are such losses.
/// `arguments` are added to its configuration.
class FunctionLoss final : public LossImpl {
 public:
  FunctionLoss(std::string class_name, const LossOptions& options, LossFunction function,
               io::Json arguments = io::Json::object(), bool casts_labels = true);

  Tensor call(const Tensor& y_true, const Tensor& y_pred) const override;
  bool casts_labels() const override { return casts_labels_; }
  io::Json get_config() const override;

 private:
  LossFunction function_;
  io::Json arguments_;
  bool casts_labels_;
};

/// Those options that all losses have, with this name if they have none.
template <class Options>
LossOptions named(const Options& options, const char* default_name) {
  return {.reduction = options.reduction,
          .name = options.name.empty() ? default_name : options.name,
          .dtype = options.dtype};
}

/// The loss of that name ("mse", "mean_squared_error", "MeanSquaredError"); an empty handle for an unknown name. As in
/// Keras, a loss made from a function's name has that name.
Loss find_named_loss(const std::string& identifier);

/// The name of the function that the loss was made from: "mean_squared_error" for "mse". That of the loss for a function
/// that is not Keras's.
std::string function_name(const Loss& loss);

/// Whether there is a loss of that class name or string: built-in, registered, or in the custom object scope.
/// `registered_name` ("package>name") may be empty.
bool is_known_loss(const std::string& registered_name, const std::string& name);

/// Whether `pointer` is a pointer to that function.
template <auto function>
bool points_to(const std::any& pointer) {
  const auto* const held = std::any_cast<decltype(function)>(&pointer);
  return held != nullptr && *held == function;
}

/// A loss function of this library.
struct NamedFunction {
  /// Its name in Keras.
  std::string name;
  /// With the defaults of its further arguments.
  LossFunction function;
  bool casts_labels = true;
};

/// The loss function that a pointer, of the type of that function, points to; none for other functions.
std::optional<NamedFunction> find_function(const std::any& pointer);
/// The loss function that is in `function`; none for other functions.
std::optional<NamedFunction> find_function(const LossFunction& function);

/// The options of the built-in losses, for the documentation.
std::vector<OptionTable> option_tables();

}  // namespace rhyton::losses
