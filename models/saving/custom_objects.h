#pragma once

#include <concepts>
#include <functional>
#include <map>
#include <string>
#include <type_traits>
#include <utility>

#include <rhyton/framework/io/json/json.h>
#include <rhyton/framework/serialization/custom_objects.h>
#include <rhyton/framework/tensor/tensor.h>
#include <rhyton/layers/activations.h>
#include <rhyton/layers/constraints.h>
#include <rhyton/layers/initializers.h>
#include <rhyton/layers/layer.h>
#include <rhyton/layers/regularizers.h>
#include <rhyton/models/losses/loss.h>
#include <rhyton/models/metrics/metric.h>
#include <rhyton/optimizers/optimizer.h>

namespace rhyton::saving {

/// The kinds of objects that saved models can name.
template <class T>
concept SavedKind = std::derived_from<T, layers::Layer> || std::derived_from<T, losses::Loss> ||
    std::derived_from<T, metrics::Metric> || std::derived_from<T, optimizers::Optimizer> ||
    std::derived_from<T, optimizers::schedules::LearningRateSchedule> || std::derived_from<T, layers::Initializer> ||
    std::derived_from<T, layers::Regularizer> || std::derived_from<T, layers::Constraint>;

template <class F>
concept CustomFactory =
    std::invocable<const F&, const io::Json&> && SavedKind<std::invoke_result_t<const F&, const io::Json&>>;

template <class F>
concept CustomActivation = !CustomFactory<F> && std::is_invocable_r_v<Tensor, const F&, const Tensor&>;

template <class F>
concept CustomLoss = !CustomFactory<F> && std::is_invocable_r_v<Tensor, const F&, const Tensor&, const Tensor&>;

/// A custom class or function that a saved model can name: a factory that makes an object of the class, of any kind,
/// from its configuration, or the function itself.
///
///     [](const io::Json& config) { return layers::make_layer<Scale>(config["factor"].as_double()); }  // a layer
///     [](const io::Json& config) { return losses::make_loss<Quantile>(config["q"].as_double()); }     // a loss
///     [](const Tensor& x) { return x * x; }                                                           // an activation
///     [](const Tensor& y_true, const Tensor& y_pred) { return abs(y_true - y_pred); }              // a loss or metric
class CustomObject {
 public:
  template <CustomFactory F>
  CustomObject(F factory) {  // NOLINT(google-explicit-constructor): an argument type
    add_ = [factory = std::move(factory)](CustomObjects& objects, const std::string& name) {
      add_factory<std::invoke_result_t<const F&, const io::Json&>>(objects, name, factory);
    };
  }
  template <CustomActivation F>
  CustomObject(F function) {  // NOLINT(google-explicit-constructor)
    add_ = [function = std::move(function)](CustomObjects& objects, const std::string& name) {
      objects.add<layers::ActivationFunction>(
          name, [function](const io::Json&) { return layers::ActivationFunction(function); });
    };
  }
  template <CustomLoss F>
  CustomObject(F function) {  // NOLINT(google-explicit-constructor)
    add_ = [function = std::move(function)](CustomObjects& objects, const std::string& name) {
      const std::string plain_name = name.substr(name.find('>') + 1);
      objects.add<losses::Loss>(name,
                                [function, plain_name](const io::Json&) { return losses::Loss(function, plain_name); });
      objects.add<metrics::Metric>(name, [function, plain_name](const io::Json&) {
        return metrics::MetricArgument(function, plain_name).metric();
      });
    };
  }

  void add_to(CustomObjects& objects, const std::string& name) const { add_(objects, name); }

 private:
  template <class Result, class F>
  static void add_factory(CustomObjects& objects, const std::string& name, const F& factory) {
    const auto add = [&]<class Handle>(std::type_identity<Handle>) {
      objects.add<Handle>(name, [factory](const io::Json& config) { return Handle(factory(config)); });
    };
    if constexpr (std::derived_from<Result, layers::Layer>) add(std::type_identity<layers::Layer>());
    if constexpr (std::derived_from<Result, losses::Loss>) add(std::type_identity<losses::Loss>());
    if constexpr (std::derived_from<Result, metrics::Metric>) add(std::type_identity<metrics::Metric>());
    if constexpr (std::derived_from<Result, optimizers::Optimizer>) add(std::type_identity<optimizers::Optimizer>());
    if constexpr (std::derived_from<Result, optimizers::schedules::LearningRateSchedule>) {
      add(std::type_identity<optimizers::schedules::LearningRateSchedule>());
    }
    if constexpr (std::derived_from<Result, layers::Initializer>) add(std::type_identity<layers::Initializer>());
    if constexpr (std::derived_from<Result, layers::Regularizer>) add(std::type_identity<layers::Regularizer>());
    if constexpr (std::derived_from<Result, layers::Constraint>) add(std::type_identity<layers::Constraint>());
  }

  std::function<void(CustomObjects&, const std::string&)> add_;
};

/// Custom objects by the name of the class or function, with package ("mine>Scale") or without.
using CustomObjectMap = std::map<std::string, CustomObject>;

/// Registers a custom class or function for reading and writing models (`keras.saving.register_keras_serializable`).
/// `name` is that of the class or function. Saved models name it "package>name".
void register_keras_serializable(const std::string& package, const std::string& name, const CustomObject& object);

/// During its lifetime, models that this thread reads can name these objects (`keras.saving.custom_object_scope`).
class CustomObjectScope {
 public:
  explicit CustomObjectScope(const CustomObjectMap& custom_objects, bool safe_mode = true);
  CustomObjectScope(const CustomObjectScope&) = delete;
  CustomObjectScope& operator=(const CustomObjectScope&) = delete;

 private:
  CustomObjects objects_;
  DeserializationScope scope_;
};

}  // namespace rhyton::saving
