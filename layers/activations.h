#pragma once

#include <concepts>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <rhyton/framework/io/json/json.h>
#include <rhyton/framework/tensor/tensor.h>

namespace rhyton::layers {

class Layer;

/// Throws ValueError for a layer that has weights, or gets them when it is built: another layer whose activation it is
/// would neither train nor save them.
void require_activation_without_weights(const Layer& layer);

/// An activation argument of a layer: a name ("relu", …, all of https://keras.io/api/layers/activations), a function
/// (`activations::gelu`), a lambda `Tensor(const Tensor&)`, or a layer without weights (`layers::LeakyReLU(0.1)`). The
/// default is "linear".
class ActivationFunction {
 public:
  ActivationFunction() = default;
  /// Throws ValueError for an unknown name.
  ActivationFunction(const char* name);         // NOLINT(google-explicit-constructor): names convert by themselves
  ActivationFunction(const std::string& name);  // NOLINT(google-explicit-constructor)
  /// A function of `activations::` keeps its name.
  ActivationFunction(Tensor (*function)(const Tensor&));  // NOLINT(google-explicit-constructor)
  template <class Function>
  requires(std::invocable<const Function&, const Tensor&> && !std::derived_from<Function, ActivationFunction>)
      ActivationFunction(Function function)  // NOLINT(google-explicit-constructor): functions convert by themselves
      : name_(), function_(std::move(function)) {
    if constexpr (std::derived_from<Function, Layer>) {
      require_activation_without_weights(*function_.template target<Function>());
    }
  }

  Tensor operator()(const Tensor& x) const { return function_ ? function_(x) : x; }

  /// "relu"; empty for a function without a name.
  const std::string& name() const { return name_; }
  bool is_linear() const { return !function_; }

  /// Keras's saved form: the name. Throws ValueError for a function without a name, which cannot be saved.
  io::Json to_config() const;
  /// Reads a name, Keras's form of a registered function, or null.
  static ActivationFunction from_config(const io::Json& config);
  static constexpr const char* config_type = "an activation";
  static constexpr bool config_is_object = true;

 private:
  /// "linear" by default; empty for a lambda.
  std::string name_ = "linear";
  std::function<Tensor(const Tensor&)> function_;
};

}  // namespace rhyton::layers

// Keras's activations, under their Keras names. Activations with arguments have two overloads, so that the one with
// defaults can be given to a layer: `layers::Dense(4, {.activation = activations::gelu})`. All but glu keep the shape.

namespace rhyton::activations {

/// Registers a custom activation function under that name, for layers and saved models. Throws ValueError for a name
/// that Keras uses.
void register_activation(const std::string& name, std::function<Tensor(const Tensor&)> function);

/// x.
Tensor linear(const Tensor& x);

/// max(x, 0).
Tensor relu(const Tensor& x);
/// Where x >= threshold: min(x, max_value), else negative_slope · (x - threshold).
Tensor relu(const Tensor& x, double negative_slope, double max_value = std::numeric_limits<double>::infinity(),
            double threshold = 0.0);
/// min(max(x, 0), 6).
Tensor relu6(const Tensor& x);
/// x where x > 0, else negative_slope · x, by default 0.2 · x.
Tensor leaky_relu(const Tensor& x);
Tensor leaky_relu(const Tensor& x, double negative_slope);
/// x where x > 0, else alpha · (e^x - 1), alpha by default 1.
Tensor elu(const Tensor& x);
Tensor elu(const Tensor& x, double alpha);
/// 1.0507009873554805 · elu(x, 1.6732632423543772).
Tensor selu(const Tensor& x);
/// max(x, 0) + min(0, alpha · (e^(x / alpha) - 1)), alpha by default 1.
Tensor celu(const Tensor& x);
Tensor celu(const Tensor& x, double alpha);
/// x · Φ(x), or with `approximate` its approximation by tanh.
Tensor gelu(const Tensor& x);
Tensor gelu(const Tensor& x, bool approximate);
/// x · sigmoid(x); also "swish".
Tensor silu(const Tensor& x);
/// x · hard_sigmoid(x); also "hard_swish".
Tensor hard_silu(const Tensor& x);
/// 1 / (1 + e^-x).
Tensor sigmoid(const Tensor& x);
/// x / 6 + 1/2, limited to [0, 1].
Tensor hard_sigmoid(const Tensor& x);
/// log sigmoid(x), without overflow.
Tensor log_sigmoid(const Tensor& x);
/// (x + 1) / 2, limited to [0, 1].
Tensor sparse_sigmoid(const Tensor& x);
Tensor tanh(const Tensor& x);
/// x limited to [-1, 1].
Tensor hard_tanh(const Tensor& x);
/// x - tanh x.
Tensor tanh_shrink(const Tensor& x);
/// x moved toward 0 by `threshold`, by default 0.5; 0 within.
Tensor soft_shrink(const Tensor& x);
Tensor soft_shrink(const Tensor& x, double threshold);
/// x where |x| > threshold, by default 0.5, else 0.
Tensor hard_shrink(const Tensor& x);
Tensor hard_shrink(const Tensor& x, double threshold);
/// x where x > threshold, else `default_value`.
Tensor threshold(const Tensor& x, double threshold, double default_value);
/// log(1 + e^x).
Tensor softplus(const Tensor& x);
/// x / (1 + |x|).
Tensor softsign(const Tensor& x);
/// (x + √(x² + b)) / 2, b by default 4.
Tensor squareplus(const Tensor& x);
Tensor squareplus(const Tensor& x, double b);
/// 0 up to -1, x from 1 on, (x + 1)² / 4 between.
Tensor sparse_plus(const Tensor& x);
/// e^x.
Tensor exponential(const Tensor& x);
/// x · tanh(softplus(x)).
Tensor mish(const Tensor& x);

/// e^x / Σ e^x along one axis or over several axes; by default along the last.
Tensor softmax(const Tensor& x);
Tensor softmax(const Tensor& x, int axis);
Tensor softmax(const Tensor& x, const std::vector<int>& axes);
/// log softmax(x).
Tensor log_softmax(const Tensor& x);
Tensor log_softmax(const Tensor& x, int axis);
Tensor log_softmax(const Tensor& x, const std::vector<int>& axes);
/// max(x - threshold, 0) along an axis, by default the last, as Keras 3 computes it: the nearest point of the
/// probability simplex if the support is one class; otherwise Keras's threshold is higher than that of the definition.
/// It compares all pairs, so it is meant for axes of a few hundred classes.
Tensor sparsemax(const Tensor& x);
Tensor sparsemax(const Tensor& x, int axis);
/// a · sigmoid(b), with a and b the halves of x along an axis, by default the last. Throws ValueError for an odd
/// length.
Tensor glu(const Tensor& x);
Tensor glu(const Tensor& x, int axis);

}  // namespace rhyton::activations
