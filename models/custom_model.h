#pragma once

#include <concepts>
#include <memory>
#include <type_traits>
#include <utility>

#include <rhyton/models/functional.h>
#include <rhyton/models/model.h>
#include <rhyton/models/model_impl.h>
#include <rhyton/models/sequential_impl.h>

namespace rhyton::models {

/// A model whose class is `Impl`, a custom one: a handle. `model.fit(…)` is that of every model, `model->encoder()` a
/// function of the class.
template <class Impl>
class CustomModel : public Model {
 public:
  explicit CustomModel(std::shared_ptr<Impl> impl) : Model(std::move(impl)) {}
  Impl* operator->() const { return static_cast<Impl*>(impl_.get()); }
};

/// Whether a class overrides a function of ModelImpl: that to which `pointer` gives a pointer, for any class. One that
/// is not accessible counts as overridden.
template <class Impl, class Pointer>
constexpr bool overrides(const Pointer& /*pointer*/) {
  using Class = std::type_identity<Impl>;
  if constexpr (std::invocable<Pointer, Class>) {
    return !std::is_same_v<std::invoke_result_t<Pointer, Class>,
                           std::invoke_result_t<Pointer, std::type_identity<ModelImpl>>>;
  } else {
    return true;
  }
}

/// Which functions of its steps a class overrides.
template <class Impl>
constexpr training::StepOverrides overrides_of() {
  return {
      .train_step = overrides<Impl>([]<class C>(std::type_identity<C>) -> decltype(&C::train_step) { return {}; }),
      .test_step = overrides<Impl>([]<class C>(std::type_identity<C>) -> decltype(&C::test_step) { return {}; }),
      .predict_step = overrides<Impl>([]<class C>(std::type_identity<C>) -> decltype(&C::predict_step) { return {}; }),
      .compute_loss = overrides<Impl>([]<class C>(std::type_identity<C>) -> decltype(&C::compute_loss) { return {}; }),
      .compute_metrics =
          overrides<Impl>([]<class C>(std::type_identity<C>) -> decltype(&C::compute_metrics) { return {}; }),
      .metrics = overrides<Impl>([]<class C>(std::type_identity<C>) -> decltype(&C::metrics) { return {}; })};
}

/// Makes a custom model: `auto vae = make_model<Vae>(latent_dim);`, or of a functional model's inputs and outputs
/// `make_model<CustomModel>(ModelOptions{.inputs = x, .outputs = y})`.
template <std::derived_from<ModelImpl> Impl, class... Arguments>
CustomModel<Impl> make_model(Arguments&&... arguments) {
  auto impl = std::make_shared<Impl>(std::forward<Arguments>(arguments)...);
  impl->set_overrides(overrides_of<Impl>());
  if (impl->graph() != nullptr) impl->ensure_built(shapes_of(impl->inputs()));
  return CustomModel<Impl>(std::move(impl));
}

}  // namespace rhyton::models
